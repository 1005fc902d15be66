import { expectationsOf, replayCalls } from '@agentmesh/lib/rpc/testing';
import { MemoryService } from '@agentmesh/proto/memory/v1';
import { expect, test } from 'vitest';
import { newKey, startMemory } from './memory.ts';

test.each(expectationsOf('memory'))('memory does what $caller expects of it', async (expectations) => {
  await using service = await startMemory();
  const session = newKey({ sessionId: 'given' });
  service.sessions.say(session, 'hello');
  const options = { services: [MemoryService], given: { account: session.accountId } };
  for (const { call, got, wanted } of await replayCalls(service.mesh, expectations, options))
    expect({ call, got }).toMatchObject({ call, got: wanted });
});

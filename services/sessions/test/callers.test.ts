import { randomUUID } from 'node:crypto';
import { expectationsOf, replayCalls } from '@agentmesh/lib/rpc/testing';
import { type ServiceAlone, startAlone } from '@agentmesh/lib/service/testing';
import { SessionsService } from '@agentmesh/proto/sessions/v1';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sessions } from '../src/index.ts';

const services = [SessionsService];
let alone: ServiceAlone;
beforeAll(async () => {
  alone = await startAlone(sessions);
});
afterAll(() => alone[Symbol.asyncDispose]());

test.each(expectationsOf('sessions'))('sessions does what $caller expects of it', async (expectations) => {
  const given = { account: randomUUID() };
  for (const { call, got, wanted } of await replayCalls(alone.mesh, expectations, { services, given }))
    expect({ call, got }).toMatchObject({ call, got: wanted });
});

import { randomUUID } from 'node:crypto';
import { expectationsOf, replayCalls } from '@agentmesh/lib/rpc/testing';
import { type ServiceAlone, startAlone } from '@agentmesh/lib/service/testing';
import { AuthService } from '@agentmesh/proto/auth/v1';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { auth } from '../src/index.ts';

const services = [AuthService];
let alone: ServiceAlone;
beforeAll(async () => {
  alone = await startAlone(auth, { env: { ENCRYPT_KEY: 'a key of thirty-two bytes and a few more' } });
});
afterAll(() => alone[Symbol.asyncDispose]());

test.each(expectationsOf('auth'))('auth does what $caller expects of it', async (expectations) => {
  const account = randomUUID();
  const given = { account, email: `${account}@example.com` };
  for (const { call, got, wanted } of await replayCalls(alone.mesh, expectations, { services, given }))
    expect({ call, got }).toMatchObject({ call, got: wanted });
});

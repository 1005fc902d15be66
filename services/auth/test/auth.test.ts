import { createPgBus } from '@agentmesh/lib/bus';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { deriveIdentities } from '@agentmesh/lib/rpc';
import { testNode } from '@agentmesh/lib/rpc/testing';
import { startProcess } from '@agentmesh/lib/service';
import { createLogger, createMetrics } from '@agentmesh/lib/telemetry';
import { AccountDeletedSchema, AuthService } from '@agentmesh/proto/auth/v1';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auth } from '../src/index.ts';
import { encryptKey, signUpOf } from './open-test-auth.ts';

const superadmin = { email: 'root@example.com', password: 'correct horse battery' };
const log = createLogger({ level: 'silent', name: 'test' });
const resources = new AsyncDisposableStack();

/** The service as in a process of its own, and another service that calls it by gRPC and subscribes to its facts. */
async function openNeighbour() {
  const { url } = resources.use(await testDatabaseUrl());
  const env = {
    DATABASE_URL: url,
    ENCRYPT_KEY: encryptKey,
    MESH_KEY: 'between-these-two',
    MESH_PORT: '0',
    OPS_PORT: '0',
    LOG_LEVEL: 'silent',
    AUTH_ARGON2_MEMORY_KIB: '64',
    DEFAULT_SUPERADMIN_EMAIL: superadmin.email,
    DEFAULT_SUPERADMIN_PASSWORD: superadmin.password,
  };
  const started = resources.use(await startProcess({ services: [auth], words: ['auth', 'gateway'], env }));
  const urls = { auth: `http://127.0.0.1:${started.meshPort}` };
  const mesh = resources.use(
    testNode({ urls, identities: deriveIdentities([env.MESH_KEY], ['gateway']), log, metrics: createMetrics() }),
  );
  return { started, bus: resources.use(await createPgBus({ url, log })), client: mesh.client(AuthService) };
}

let neighbour: Awaited<ReturnType<typeof openNeighbour>>;
beforeAll(async () => {
  neighbour = await openNeighbour();
});
afterAll(() => resources.disposeAsync());

describe('the auth service as a process', () => {
  test('lets the superadmin sign in from the start', async () => {
    expect((await neighbour.client.signIn(superadmin)).accessToken).not.toBe('');
  });

  test('answers a neighbour with its own errors', async () => {
    await expect(neighbour.client.signIn({ ...superadmin, password: 'wrong one' })).rejects.toMatchObject({
      code: 'unauthenticated',
      reason: 'invalid_credentials',
      message: 'Invalid email or password',
    });
  });

  test('tells the bus of a deleted account', async () => {
    const { promise: heard, resolve } = Promise.withResolvers<string>();
    await neighbour.bus.subscribe(AccountDeletedSchema, ({ accountId }) => resolve(accountId));
    const { account } = await neighbour.client.signUp(signUpOf('short-lived@example.com'));
    await neighbour.client.deleteAccount({ id: account?.id ?? '' });
    expect(await heard).toBe(account?.id);
  });

  test('is ready while its database answers', async () => {
    await expect(neighbour.started.checks['auth.database']?.()).resolves.toBeUndefined();
  });

  test.each([undefined, '', ' \t'])('does not start with ENCRYPT_KEY %j, and names it', async (key) => {
    const starting = startProcess({ services: [auth], words: ['auth'], env: { ENCRYPT_KEY: key } });
    await expect(starting).rejects.toThrow(/^ENCRYPT_KEY is missing or blank/);
  });
});

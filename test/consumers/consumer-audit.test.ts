import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { createMesh, readPrivateKey } from '@agentmesh/lib/rpc';
import { makeConsumer } from '@agentmesh/lib/service';
import { createLogger, createMetrics } from '@agentmesh/lib/telemetry';
import { SessionsService } from '@agentmesh/proto/sessions/v1';
import { expect, test } from 'vitest';
import { Caller, newAccount } from '../caller.ts';
import { startMesh } from '../mesh.ts';

const operator = { email: 'operator@example.com', password: 'correct horse battery' };

interface Entry {
  readonly action: string;
  readonly account_id: string | null;
  readonly detail: { readonly calls: number };
}

function accountOf({ token = '' }: Caller): string {
  const [, claims = ''] = token.split('.');
  return (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { uid: string }).uid;
}

const entriesOf = async (caller: Caller): Promise<Entry[]> => {
  const { body } = await caller.request<Entry[]>('GET', '/api/audit');
  return body.filter(({ action }) => action.startsWith('consumer_'));
};

test('an account sees which consumer has called in its name, and administrators see what was refused, also after a restart', async () => {
  await using database = await testDatabaseUrl();
  let sessionsPort = 0;
  let grant: Record<string, string> = {};
  await using mesh = await startMesh({
    mode: 'separate',
    databaseUrl: database.url,
    only: ['auth', 'sessions'],
    env: { DEFAULT_SUPERADMIN_EMAIL: operator.email, DEFAULT_SUPERADMIN_PASSWORD: operator.password },
    ownEnv: (name) => (name === 'sessions' ? grant : {}),
    reachedAt: async (name, port) => {
      if (name === 'sessions') sessionsPort = port;
      return port;
    },
  });
  const owner = await newAccount(mesh.url);
  const [account, other] = [accountOf(owner), accountOf(await newAccount(mesh.url))];
  const made = makeConsumer({ name: 'orders', methods: ['sessions.ListSessions'], accounts: [account] });
  grant = { MESH_CONSUMERS: made['MESH_CONSUMERS'] ?? '' };
  await mesh.stop('sessions');
  await mesh.restart();

  const key = readPrivateKey(made['ORDERS_MESH_IDENTITY'] ?? '')?.key;
  if (key === undefined) throw new Error('no key was made');
  const log = createLogger({ level: 'silent', name: 'orders' });
  await using orders = createMesh({
    urls: { sessions: `http://127.0.0.1:${sessionsPort}` },
    identities: { own: new Map([['orders', key]]), known: new Map() },
    log,
    metrics: createMetrics({ processMetrics: false }),
  });
  const sessions = orders.as('orders').client(SessionsService);
  const list = (accountId: string) =>
    Array.fromAsync(sessions.listSessions({ accountId, appName: 'echo', userId: 'u1' }));
  await list(account);
  const detail = { consumer: 'orders', rpc: 'sessions.ListSessions' };
  const mine = { action: 'consumer_called', account_id: account, actor_id: null };
  await expect.poll(() => entriesOf(owner)).toMatchObject([{ ...mine, detail: { ...detail, calls: 1 } }]);
  for (let number = 0; number < 20; number += 1) await list(account);
  await expect(list(other)).rejects.toMatchObject({ reason: 'account_refused' });

  const admin = new Caller(mesh.url);
  admin.token = (await admin.request<{ access_token: string }>('POST', '/api/auth/token', operator)).body.access_token;
  const refused = { action: 'consumer_refused', account_id: null, detail: { ...detail, calls: 1 } };
  await expect.poll(() => entriesOf(admin)).toMatchObject([refused, mine]);
  await mesh.stop('sessions');
  expect((await entriesOf(owner)).map(({ detail: { calls } }) => calls)).toEqual([20, 1]);
});

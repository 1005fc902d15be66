import { readFileSync } from 'node:fs';
import { createPgBus } from '@agentmesh/lib/bus';
import { appendToStream } from '@agentmesh/lib/bus/testing';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { createLogger } from '@agentmesh/lib/telemetry';
import { AccountDeletedSchema } from '@agentmesh/proto/auth/v1';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newAccount } from '../caller.ts';
import { startMesh, type TestMesh } from '../mesh.ts';

const list = readFileSync(new URL('../../services/auth/src/erasure/erasing-services.ts', import.meta.url), 'utf8');
/** Number of services that store data of accounts, without auth. */
const erasing = [...list.matchAll(/'[a-z]+'/g)].length;
const resources = new AsyncDisposableStack();
let mesh: TestMesh;
let ownerUrl: string;
/** A login that has no grant in the database: it can connect, and so it can send hints. */
let strangerUrl: string;

beforeAll(async () => {
  const { url } = resources.use(await testDatabaseUrl());
  ownerUrl = url;
  mesh = resources.use(await startMesh({ mode: 'all', databaseUrl: url }));
  const role = `stranger_${process.pid}_${Date.now()}`;
  await execute(url, `create role ${role} login password 'stranger'`);
  resources.defer(() => execute(url, `drop role ${role}`));
  const address = new URL(url);
  address.username = role;
  address.password = 'stranger';
  strangerUrl = address.href;
});
afterAll(() => resources.disposeAsync());

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

test('a living account survives forged deletions: hints of strangers to the database, and messages of those who may store them', async () => {
  const caller = await newAccount(mesh.url);
  const claims = JSON.parse(Buffer.from(caller.token?.split('.')[1] ?? '', 'base64url').toString()) as { uid: string };
  const session = await caller.createSession('echo', { state: { kept: 1, 'user:kept': 2 } });
  expect((await caller.run(session, 'remember me')).status).toBe(200);
  await caller.request('PATCH', '/apps/echo/users/u1/memory', { sessionId: session.id });

  const log = createLogger({ level: 'silent', name: 'stranger' });
  await using stranger = await createPgBus({ url: strangerUrl, log });
  const forged = { accountId: claims.uid };
  await stranger.publish(AccountDeletedSchema, forged);
  await expect(appendToStream(stranger, AccountDeletedSchema, [forged])).rejects.toThrow('lacks rights');
  await using bus = await createPgBus({ url: ownerUrl, log });
  await appendToStream(bus, AccountDeletedSchema, [forged]);
  const refusals = () =>
    mesh.lines.filter((line) => line.includes('nothing is erased') && line.includes(claims.uid)).length;
  await expect.poll(refusals).toBe(erasing);

  expect((await caller.readSession(session)).events.length).toBeGreaterThan(1);
  const memories = await caller.request('GET', '/apps/echo/users/u1/memory?query=remember');
  expect(JSON.stringify(memories.body)).toContain('remember me');
});

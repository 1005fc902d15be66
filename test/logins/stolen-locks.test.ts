import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openDatabase } from '@agentmesh/lib/pg';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { createLogger } from '@agentmesh/lib/telemetry';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Caller, newAccount } from '../caller.ts';
import { agentsDir, startMesh } from '../mesh.ts';
import { prepareLogins } from '../prepare-logins.ts';
import { runMain } from '../start/run-main.ts';

// The login of transcription has no tables. It is the one that an attacker needs the least for.

let resources: AsyncDisposableStack;
let adminUrl: string;
let urlOf: (word: string) => string;
let thief: pg.Client;

/** Statements that take locks which others might wait for, with the keys that releases before 0.1.0 used among them. */
const grabs = [
  ...['auth', 'sessions', 'webhooks', 'memory', 'runs', 'keys', 'artifacts'].flatMap((schema) => [
    `select pg_advisory_lock(${0x6f7574}, hashtext('${schema}'))`,
    `select pg_advisory_lock(${0x61676d}, hashtext('${schema}'))`,
    `select pg_advisory_lock(('x' || encode(sha224((current_database() || '.pgboss.${schema}_jobs')::bytea), 'hex'))::bit(64)::bigint)`,
    `lock table ${schema}.migrations in access share mode`,
    `select from ${schema}.locks for update`,
    `select from ${schema}.outbox for update`,
  ]),
  `select pg_advisory_lock(${0x61676d62})`,
  'select from bus.locks for update',
  'select from bus.subjects for update',
  'lock table bus.messages in access share mode',
  'lock table pg_catalog.pg_class in access exclusive mode',
];

beforeAll(async () => {
  resources = new AsyncDisposableStack();
  adminUrl = resources.use(await testDatabaseUrl()).url;
  const settings = await prepareLogins(adminUrl);
  urlOf = (word) => settings(word).DATABASE_URL;
  thief = new pg.Client({ connectionString: urlOf('transcription') });
  await thief.connect();
  resources.defer(() => thief.end());
  // A session may lift the limits that its login gives it.
  await thief.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0');
  for (const grab of grabs) {
    await thief.query('begin; savepoint grab').catch(() => undefined);
    await thief.query(grab).catch(() => thief.query('rollback to savepoint grab'));
  }
}, 120_000);

afterAll(() => resources.disposeAsync());

describe('a stolen login without tables cannot hold up', () => {
  test('migrate', async () => {
    const { code, output } = await runMain(['migrate'], { DATABASE_URL: adminUrl, LOG_LEVEL: 'silent' });
    expect([output, code]).toEqual([expect.stringContaining('webhooks: webhooks, webhooks_jobs'), 0]);
  }, 60_000);

  test('a new table, and an index that is built concurrently', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'migrations-'));
    resources.defer(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, '0001-create-notes.sql'), 'create table notes(id bigint primary key)');
    const options = { service: 'notes', url: adminUrl, poolSize: 3, migrations: pathToFileURL(`${folder}/`) };
    const log = createLogger({ level: 'silent', name: 'test' });
    await (await openDatabase(options, log))[Symbol.asyncDispose]();
    await writeFile(join(folder, '0002-index.sql'), 'create index concurrently notes_twice on notes (id)');
    await using db = await openDatabase(options, log);
    const valid = `select indisvalid as valid from pg_index where indexrelid = 'notes_twice'::regclass`;
    expect(await db.query({ text: valid })).toEqual([{ valid: true }]);
  }, 60_000);

  test('an outbox, a queue of jobs, and the erasure of an account', async () => {
    const env = { AGENTS_DIR: agentsDir };
    await using mesh = await startMesh({
      mode: 'separate',
      databaseUrl: adminUrl,
      env,
      ownEnv: (name) => ({ DATABASE_URL: urlOf(name) }),
    });
    const caller = await newAccount(mesh.url);
    const session = await caller.createSession('echo');
    expect((await caller.run(session, 'hello')).status).toBe(200);
    const { user_id: id } = (await caller.request<{ user_id: number }>('GET', '/api/users/me')).body;
    const removed = await caller.fetch('DELETE', `/api/users/${id}`);
    const path = removed.headers.get('location') ?? '';
    const status = async () => (await new Caller(mesh.url).request<{ status: string }>('GET', path)).body.status;
    await expect.poll(status, { timeout: 60_000 }).toBe('complete');
  }, 150_000);
});

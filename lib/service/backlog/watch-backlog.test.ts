import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { expect, test } from 'vitest';
import { testDatabaseUrl } from '../../pg/testing/index.ts';
import { freePorts } from '../../rpc/testing/index.ts';
import { defineTask, openJobs } from '../../jobs/index.ts';
import { defineService, startProcess } from '../index.ts';

const outbox = `create table outbox (
  id bigint generated always as identity primary key,
  subject text not null,
  payload bytea not null,
  traceparent text,
  created_at timestamptz not null default now()
)`;
const wave = defineTask({
  name: 'wave',
  retrySeconds: [1],
  timeoutSeconds: 10,
  atOnce: 1,
  pollSeconds: 60,
  read: (payload) => payload as { hand: string },
});

test('work that nobody does is shown with its age by /readyz and by metrics, and puts no process out of service', async () => {
  await using resources = new AsyncDisposableStack();
  const { url } = resources.use(await testDatabaseUrl());
  const folder = resources.adopt(await mkdtemp(join(tmpdir(), 'migrations-')), (path) => rm(path, { recursive: true }));
  await writeFile(join(folder, '0001-first-schema.sql'), outbox);
  // A service of the mesh, because it consumes topics.
  const keys = defineService({
    name: 'keys',
    settings: {},
    database: { migrations: pathToFileURL(folder), jobs: true },
    start: async (host) => {
      const { log, metrics } = host;
      const db = await host.openDatabase();
      const jobs = host.resources.use(await openJobs({ service: 'keys', db, tasks: [wave], log, metrics }));
      await jobs.add(db, wave, [{ payload: { hand: 'left' } }]);
      return {};
    },
  });
  const [port] = await freePorts(1);
  const env = { DATABASE_URL: url, OPS_PORT: String(port), LOG_LEVEL: 'silent' };
  resources.use(await startProcess({ services: [keys], words: ['keys'], env }));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  resources.defer(() => client.end());
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  expect(await (await get('/readyz')).json()).toMatchObject({ checks: { 'keys.outbox': 'ok' } });
  expect((await get('/readyz/own')).status).toBe(200);

  await client.query(
    `insert into keys.outbox (subject, payload, created_at) values ('x', '', now() - interval '40 s')`,
  );
  await client.query(`update keys_jobs.job set start_after = now() - interval '50 s'`);
  await client.query(`insert into bus.dead_letters (subject, durable, seq, id, sender, payload, reason)
    values ('agentmesh.auth.v1.account_deleted', 'keys', 1, '', '', '', '')`);
  const late = await get('/readyz');
  expect(late.status).toBe(503);
  const { checks, backlog } = (await late.json()) as { checks: object; backlog: { keys: Record<string, number> } };
  expect(checks).toEqual({ bus: 'ok', 'keys.outbox': 'failed' });
  expect(backlog.keys['outboxSeconds']).toBeGreaterThanOrEqual(40);
  expect(backlog.keys['jobsSeconds']).toBeGreaterThanOrEqual(50);
  expect(backlog.keys['deadLetters']).toBe(1);
  const metrics = await (await get('/metrics')).text();
  expect(metrics).toMatch(/^agentmesh_outbox_oldest_seconds\{service="keys"\} [45]\d/m);
  expect(metrics).toMatch(/^agentmesh_jobs_oldest_seconds\{service="keys"\} [56]\d/m);
  expect(metrics).toMatch(/^agentmesh_dead_letters\{service="keys"\} 1$/m);
  expect((await get('/readyz/own')).status).toBe(200);

  await client.query('delete from keys.outbox');
  expect((await get('/readyz')).status).toBe(200);
});

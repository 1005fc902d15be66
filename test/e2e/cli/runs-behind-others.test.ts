import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { newAccount } from '../../caller.ts';
import { agentsDir, startMesh, type TestMesh } from '../../mesh.ts';
import { startCommand } from './start-command.ts';

/** More than a page of a list reads at once. */
const others = 6_000;
const folder = mkdtempSync(join(tmpdir(), 'agentmesh-behind-others-'));
const resources = new AsyncDisposableStack();
let mesh: TestMesh;
let databaseUrl: string;

beforeAll(async () => {
  databaseUrl = resources.use(await testDatabaseUrl()).url;
  const only = ['artifacts', 'auth', 'keys', 'runs', 'sessions'];
  mesh = resources.use(await startMesh({ mode: inject('mode'), only, databaseUrl, env: { AGENTS_DIR: agentsDir } }));
}, 300_000);
afterAll(async () => {
  await resources.disposeAsync();
  rmSync(folder, { recursive: true });
});

/** Gives the account of a session newer runs of another session. */
async function addNewerRuns(session: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    `insert into sessions.runs
       (account_id, app_name, user_id, session_id, session_pk, invocation_id, status, owner, attempt, created_at, started_at, ended_at, usage, agent)
     select account_id, app_name, user_id, 'other', session_pk, 'e-' || n, 'completed', owner, 1, t, t, t, usage, agent
     from sessions.runs, generate_series(1, $2::integer) n, lateral (select created_at + make_interval(secs => n * 1e-3) as t) time
     where session_id = $1`,
    [session, others],
  );
  await client.end();
}

test('the runs of a session are listed and watched, however many newer ones other sessions have', async () => {
  const caller = await newAccount(mesh.url);
  const env = { AGENTMESH_URL: mesh.url, AGENTMESH_TOKEN: caller.token ?? '' };
  const command = (...args: string[]) => startCommand(folder, args, env).ended;
  const session = await caller.createSession('echo');
  await caller.run(session, 'long ago');
  await addNewerRuns(session.id);

  const { out } = await command('runs', '--session', session.id, '--json');
  expect(JSON.parse(out)).toMatchObject([{ sessionId: session.id }]);
  expect(await command('tail', '--session', session.id)).toMatchObject({ code: 0, out: 'long ago\n' });
  const several = await command('runs', '--session', 'other', '--limit', '3', '--json');
  expect((JSON.parse(several.out) as { invocationId: string }[]).map(({ invocationId }) => invocationId)).toEqual([
    `e-${others}`,
    `e-${others - 1}`,
    `e-${others - 2}`,
  ]);
  expect(await command('tail', '--session', 'none')).toMatchObject({
    code: 2,
    err: expect.stringContaining('There is no run in this session.'),
  });
});

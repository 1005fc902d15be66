import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import pg from 'pg';
import { expect, test } from 'vitest';
import { Caller, newAccount } from '../caller.ts';
import { startMesh } from '../mesh.ts';
import { findPgBouncer, startPgBouncer } from '../programs/pgbouncer.ts';

const pgbouncer = await findPgBouncer();
const patient = { timeout: 60_000 };

async function select<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

test.skipIf(pgbouncer === undefined)(
  'behind PgBouncer in transaction mode a mesh keeps sessions, runs agents on schedule, and erases an account',
  { timeout: 150_000 },
  async () => {
    await using database = await testDatabaseUrl();
    await using pooler = await startPgBouncer(pgbouncer as string, database.url);
    const env = { DATABASE_DIRECT_URL: database.url, SCHEDULES_MIN_SECONDS: '1' };
    await using mesh = await startMesh({ mode: 'all', databaseUrl: pooler.url, env });
    const caller = await newAccount(mesh.url);
    const session = await caller.createSession('echo', { state: { own: 1, 'user:mine': 2 } });
    const runs = await Promise.all(Array.from({ length: 20 }, (_, n) => caller.run(session, `text ${n}`)));
    expect(runs.map(({ status }) => status)).toEqual(runs.map(() => 200));
    expect((await caller.readSession(session)).events).toHaveLength(40);
    await expectTick(caller);
    await expectNothingLeft(pooler.url, database.url);
    await expectErased(caller);
    expect(
      mesh.lines.filter((line) => /"level":"(warn|error)"/.test(line) && !/synchronous_commit/.test(line)),
    ).toEqual([]);
  },
);

async function expectTick(caller: Caller): Promise<void> {
  const newMessage = { role: 'user', parts: [{ text: 'hello' }] };
  const schedule = { cron: '* * * * * *', appName: 'echo', userId: 'u1', newMessage };
  const { body } = await caller.request<{ id: string }>('POST', '/api/schedules', schedule);
  const lastRun = async () => {
    const read = await caller.request<{ last_run: { invocation_id: string | null } | null }>(
      'GET',
      `/api/schedules/${body.id}`,
    );
    return read.body.last_run?.invocation_id ?? undefined;
  };
  await expect.poll(lastRun, patient).toMatch(/^e-/);
  const id = await lastRun();
  const status = async () => (await caller.request<{ status: string }>('GET', `/runs/${id}`)).body.status;
  await expect.poll(status, patient).toBe('completed');
}

/** The connections of the pooler are as the server makes them, and beside them one listens and few prepare the tables of jobs. */
async function expectNothingLeft(pooled: string, direct: string): Promise<void> {
  const settings = `select current_setting('search_path') as path, current_setting('enable_seqscan') as scan,
    current_user = session_user as "isOwn", (select count(*)::integer from pg_prepared_statements) as prepared`;
  const many = await Promise.all(Array.from({ length: 12 }, () => select(pooled, settings)));
  const usual = { path: '"$user", public', scan: 'on', isOwn: true, prepared: 0 };
  expect(many).toEqual(many.map(() => [usual]));
  const counts = `select count(*)::integer as "all", (count(*) filter (where application_name = 'agentmesh bus listen'))::integer as listening
    from pg_stat_activity where datname = current_database() and backend_type = 'client backend'`;
  const [count] = await select<{ all: number; listening: number }>(direct, counts);
  expect(count?.listening).toBe(1);
  expect(count?.all).toBeLessThan(20);
}

async function expectErased(caller: Caller): Promise<void> {
  const me = await caller.request<{ user_id: number }>('GET', '/api/users/me');
  const answer = await caller.fetch('DELETE', `/api/users/${me.body.user_id}`);
  expect(answer.status).toBe(204);
  const receipt = answer.headers.get('location') ?? '';
  const read = async () => (await new Caller(caller.url).request<{ status: string }>('GET', receipt)).body.status;
  await expect.poll(read, patient).toBe('complete');
}

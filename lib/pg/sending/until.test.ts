import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MeshError } from '../../rpc/index.ts';
import type { Database, Statement } from '../database.ts';
import { openDatabase } from '../open-database.ts';
import { testDatabaseUrl } from '../testing/index.ts';
import type { Caller } from './until.ts';

const insert: Statement = { name: 'insert', text: 'insert into things (id) values ($1)', groupCommit: true };
const sleep: Statement = { name: 'sleep', text: 'select pg_sleep(30)', groupCommit: true };

let opened: AsyncDisposableStack;
let db: Database;
let other: pg.Client;

beforeEach(async () => {
  opened = new AsyncDisposableStack();
  const { url } = opened.use(await testDatabaseUrl());
  const folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  opened.defer(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, '0001-create-things.sql'), 'create table things (id integer primary key)');
  const options = { service: 'alpha', url, poolSize: 3, migrations: pathToFileURL(folder) };
  db = opened.use(await openDatabase(options, pino({ level: 'silent' })));
  other = new pg.Client({ connectionString: url });
  await other.connect();
  opened.defer(() => other.end());
});

afterEach(() => opened.disposeAsync());

function callerFor(timeoutMs: number | undefined, signal = new AbortController().signal): Caller {
  return { signal, timeoutMs: () => timeoutMs };
}

async function stored(): Promise<number[]> {
  const { rows } = await other.query<{ id: number }>('select id from alpha.things order by id');
  return rows.map(({ id }) => id);
}

/** The server is busy with a write until the function is called. */
async function stall(): Promise<() => Promise<void>> {
  const held = db.query(sleep).catch(() => undefined);
  const pids = async () => {
    const text = `select pid from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`;
    return (await other.query<{ pid: number }>(text)).rows;
  };
  await vi.waitFor(async () => expect(await pids()).toHaveLength(1));
  return async () => {
    for (const { pid } of await pids()) await other.query('select pg_terminate_backend($1)', [pid]);
    await held;
  };
}

/** Ends the connection of the statement that sleeps. */
async function endSleeper(): Promise<void> {
  const end = `select pg_terminate_backend(pid) from pg_stat_activity
    where wait_event = 'PgSleep' and datname = current_database()`;
  await vi.waitFor(async () => expect((await other.query(end)).rowCount).toBe(1));
}

describe('a write that waits behind others', () => {
  test('is dropped shortly before the deadline of its caller, who learns that nothing was stored', async () => {
    const release = await stall();
    const failure = { code: 'deadline_exceeded', reason: 'not_stored' };
    const dropped = db.within(callerFor(1_000)).query(insert, [1]);
    const deadline = new Promise((resolve) => setTimeout(resolve, 1_000, 'the deadline has passed'));
    await expect(Promise.race([dropped, deadline])).rejects.toMatchObject(failure);
    await release();
    await db.query(insert, [2]);
    expect(await stored()).toEqual([2]);
  });

  test('is dropped when its caller leaves, and others are stored', async () => {
    const release = await stall();
    const leaving = new AbortController();
    const left = db.within(callerFor(undefined, leaving.signal)).query(insert, [1]);
    const stays = db.within(callerFor(60_000)).query(insert, [2]);
    leaving.abort(new MeshError('canceled', 'client_left', 'The client has left.'));
    await expect(left).rejects.toMatchObject({ code: 'canceled', reason: 'canceled' });
    await release();
    await stays;
    expect(await stored()).toEqual([2]);
  });

  test('is refused when too many wait, and nothing was sent', async () => {
    const release = await stall();
    const busy = { status: 'rejected', reason: { code: 'unavailable', reason: 'database_busy' } };
    const leaving = new AbortController();
    const bounded = db.within(callerFor(undefined, leaving.signal));
    const writes = Promise.allSettled(Array.from({ length: 10_001 }, (_, id) => bounded.query(insert, [id])));
    leaving.abort(new MeshError('canceled', 'client_left', 'The client has left.'));
    expect((await writes).at(-1)).toMatchObject(busy);
    await release();
    expect(await stored()).toEqual([]);
  });
});

test('who leaves after a commit is not told that nothing was stored', async () => {
  const leaving = new AbortController();
  const late = new AbortController();
  const dbs = [leaving, late].map(({ signal }) => db.within(callerFor(60_000, signal)));
  await dbs[0]?.query(insert, [1]);
  await dbs[1]?.transaction((tx) => tx.query(insert, [2]));
  leaving.abort(new MeshError('canceled', 'client_left', 'The client has left.'));
  late.abort(new MeshError('deadline_exceeded', 'deadline_exceeded', 'The deadline has passed.'));
  const read = { text: 'select 1' };
  await expect(dbs[0]?.query(read)).rejects.toMatchObject({ message: expect.stringMatching(/after a part/) });
  await expect(dbs[1]?.query(read)).rejects.toMatchObject({ reason: 'deadline_exceeded' });
});

test('when the database fails after a commit of the same work, nobody is told that nothing was stored', async () => {
  const read = { text: 'select pg_sleep(30)' };
  const works: ((within: Database) => Promise<unknown>)[] = [
    (within) => within.query(read),
    (within) => within.transaction((tx) => tx.query(read)),
  ];
  const inserts = [insert, { text: insert.text }];
  const cases = inserts.flatMap((statement) => works.map((work) => ({ statement, work })));
  for (const [id, { statement, work }] of cases.entries()) {
    const within = db.within(callerFor(60_000));
    await within.query(statement, [id]);
    const failure = work(within).catch((error: unknown) => error);
    await endSleeper();
    expect(await failure).toMatchObject({ code: 'unavailable', reason: 'outcome_unknown' });
  }
  expect(await stored()).toEqual([0, 1, 2, 3]);
});

test('a transaction whose caller leaves before its commit stores nothing', async () => {
  const leaving = new AbortController();
  const work = db.within(callerFor(undefined, leaving.signal)).transaction(async (tx) => {
    await tx.query({ text: insert.text }, [1]);
    leaving.abort(new MeshError('canceled', 'client_left', 'The client has left.'));
  });
  await expect(work).rejects.toMatchObject({ code: 'canceled' });
  expect(await stored()).toEqual([]);
});

test('a transaction does not begin for a caller who left while all connections were busy', async () => {
  const done = Promise.withResolvers<void>();
  const first = db.transaction(() => done.promise);
  const leaving = new AbortController();
  const late = db.within(callerFor(100, leaving.signal)).transaction((tx) => tx.query({ text: insert.text }, [1]));
  leaving.abort(new MeshError('deadline_exceeded', 'deadline_exceeded', 'The deadline has passed.'));
  done.resolve();
  await expect(late).rejects.toMatchObject({ reason: 'not_stored' });
  await first;
  expect(await stored()).toEqual([]);
});

test('a change that was sent when the connection broke has an unknown outcome, a read has none', async () => {
  const change = { text: 'insert into things select 1 from pg_sleep(30)' };
  const reasonOf = async (text: string) => {
    const end = db.query({ text }).then(
      () => 'stored',
      (error: unknown) => (error as MeshError).reason,
    );
    await endSleeper();
    return end;
  };
  expect(await reasonOf(change.text)).toBe('outcome_unknown');
  expect(await reasonOf('with added as (insert into things values (1)) select pg_sleep(30)')).toBe('outcome_unknown');
  expect(await reasonOf('select pg_sleep(30)')).toBe('database_unavailable');
  expect(await reasonOf('with s as (select id from things for update) select pg_sleep(30)')).toBe(
    'database_unavailable',
  );
});

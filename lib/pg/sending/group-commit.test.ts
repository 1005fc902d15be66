import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect as dial, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import pg from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Database, Statement } from '../database.ts';
import { GroupCommit } from './group-commit.ts';
import { Timeline } from './timeline.ts';
import { transactionSettings } from './transaction-settings.ts';
import { openDatabase } from '../open-database.ts';
import { testDatabaseUrl } from '../testing/index.ts';

const table = 'create table things (id integer primary key, number bigint, body json, many text[])';
const insert: Statement = {
  name: 'insert-thing',
  text: 'insert into things (id, number, body) values ($1, $2, $3) returning id, xmin::text as transaction, pg_backend_pid() as pid',
  groupCommit: true,
};
const change: Statement = {
  name: 'change-thing',
  text: 'update things set number = $2 where id = $1 returning number',
  groupCommit: true,
};
const everything: Statement = {
  name: 'read-things',
  text: 'select id, number, body, many, null as nothing from things order by id',
  groupCommit: true,
};
const sleep: Statement = { name: 'sleep', text: 'select pg_sleep(30)', groupCommit: true };
const count: Statement = { text: 'select count(*)::integer as count from things' };

let opened: AsyncDisposableStack;
let url: string;
let db: Database;

beforeEach(async () => {
  opened = new AsyncDisposableStack();
  ({ url } = opened.use(await testDatabaseUrl()));
  const folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  opened.defer(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, '0001-create-things.sql'), table);
  const options = { service: 'alpha', url, poolSize: 4, migrations: pathToFileURL(folder) };
  db = opened.use(await openDatabase(options, pino({ level: 'silent' })));
});

afterEach(() => opened.disposeAsync());

function store(id: number, body = '{}'): Promise<{ id: number; transaction: string; pid: number }[]> {
  return db.query(insert, [id, 0n, body]);
}

async function stored(): Promise<number> {
  const [row] = await db.query<{ count: number }>(count);
  return row?.count ?? 0;
}

test('concurrent writes are one transaction, each with its own result', async () => {
  const answers = await Promise.all([1, 2, 3, 4, 5].map((id) => store(id)));
  expect(answers.map(([row]) => row?.id)).toEqual([1, 2, 3, 4, 5]);
  expect(new Set(answers.map(([row]) => row?.transaction)).size).toBe(1);
});

test('a write of one account commits with the first few of another one that has sent hundreds', async () => {
  const write = async (accountId: string, id: number): Promise<string> => {
    const [row] = await db.query<{ transaction: string }>(insert, [id, 0n, '{}'], accountId);
    return row?.transaction ?? '';
  };
  const greedy = Array.from({ length: 200 }, (_, id) => write('greedy', id));
  const other = await write('other', 1_000);
  const transactions = await Promise.all(greedy);
  expect(transactions.filter((transaction) => transaction === other)).toHaveLength(8);
  expect(transactions[0]).toBe(other);
});

test('a write is committed when it is answered', async () => {
  await using other = await connect();
  for (let id = 1; id <= 20; id += 1) {
    await store(id);
    const { rows } = await other.client.query('select 1 from alpha.things where id = $1', [id]);
    expect(rows).toHaveLength(1);
  }
});

test('a write that fails does not affect the others of its transaction', async () => {
  await store(2);
  const answers = await Promise.allSettled([store(1), store(2), store(3), store(4, 'no json'), store(5)]);
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled']);
  expect(answers[1]).toMatchObject({ reason: { code: '23505' } });
  expect(answers[3]).toMatchObject({ reason: { code: '22P02' } });
  expect(await stored()).toBe(4);
});

test('a value that no column takes is refused before anything is sent', async () => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  const [good, bad] = await Promise.allSettled([store(1), db.query(insert, [2, 0n, circular])]);
  expect([good.status, bad.status]).toEqual(['fulfilled', 'rejected']);
});

test('a write to a locked row waits alone', async () => {
  await Promise.all([store(1), store(2)]);
  await using other = await connect();
  await other.client.query('begin; update alpha.things set number = 7 where id = 1');
  const held = db.query(change, [1, 8n]);
  const beside = db.query(change, [2, 8n]);
  const later = store(3);
  await expect(Promise.all([beside, later])).resolves.toBeDefined();
  await other.client.query('commit');
  expect(await held).toEqual([{ number: 8n }]);
});

test('any number of writes that wait for a row leave a connection for the others', async () => {
  await Promise.all([store(1), store(2)]);
  await using other = await connect();
  await other.client.query('begin; update alpha.things set number = 7 where id = 1');
  // More statements than this test's pool has connections.
  const held = Array.from({ length: 5 }, () => db.query(change, [1, 8n]));
  const others = Array.from({ length: 20 }, (_, index) => store(10 + index));
  await Promise.all(others);
  await other.client.query('commit');
  await Promise.all(held);
  expect(await stored()).toBe(22);
});

test('many writes that wait for a row, and more of them, delay others only for a moment', async () => {
  await Promise.all([store(1), store(2)]);
  await using other = await connect();
  await other.client.query('begin; update alpha.things set number = 7 where id = 1');
  const held = Array.from({ length: 50 }, () => db.query(change, [1, 8n]));
  const more = setInterval(() => held.push(db.query(change, [1, 8n])), 20);
  const started = performance.now();
  for (let id = 10; id < 20; id += 1) await store(id);
  const elapsed = performance.now() - started;
  clearInterval(more);
  await other.client.query('commit');
  await Promise.all(held);
  // A wait of 100 ms for each of them would take five seconds, and that of the writes that came meanwhile more.
  expect(elapsed).toBeLessThan(5_000);
});

test('a write that fails only at the commit does not affect the others', async () => {
  await using other = await connect();
  await other.client.query(
    'alter table alpha.things add constraint once unique (number) deferrable initially deferred',
  );
  const add = (id: number, number: bigint) => db.query(insert, [id, number, '{}']);
  const answers = await Promise.allSettled([add(1, 1n), add(2, 2n), add(3, 1n), add(4, 4n)]);
  expect(answers.filter(({ status }) => status === 'rejected')).toMatchObject([{ reason: { code: '23505' } }]);
  expect([answers[1]?.status, answers[3]?.status]).toEqual(['fulfilled', 'fulfilled']);
  expect(await stored()).toBe(3);
});

test('two writes that would deadlock both end', async () => {
  await Promise.all([store(1), store(2)]);
  await using other = await connect();
  await other.client.query('begin; update alpha.things set number = 7 where id = 2');
  const together = Promise.all([db.query(change, [1, 8n]), db.query(change, [2, 8n])]);
  await vi.waitFor(async () => {
    const { rows } = await other.client.query(
      `select 1 from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()`,
    );
    expect(rows.length).toBeGreaterThan(0);
  });
  await other.client.query('update alpha.things set number = 9 where id = 1; commit');
  expect(await together).toEqual([[{ number: 8n }], [{ number: 8n }]]);
});

test('a statement that failed at its first use works afterwards', async () => {
  await expect(store(1, 'no json')).rejects.toThrow();
  await expect(Promise.all([store(1), store(2)])).resolves.toBeDefined();
});

test('rows arrive as they do for a statement alone', async () => {
  await db.query({
    text: `insert into things values (1, 9007199254740993, '{"a":  1}', '{x,null,"y z"}'), (2, null, null, null)`,
  });
  const alone = await db.query({ ...everything, groupCommit: false });
  for (let time = 0; time < 2; time += 1) expect(await db.query(everything)).toEqual(alone);
  expect(alone[0]).toEqual({
    id: 1,
    number: 9007199254740993n,
    body: '{"a":  1}',
    many: ['x', null, 'y z'],
    nothing: null,
  });
});

test('a large write runs alone', async () => {
  const large = JSON.stringify('x'.repeat(100_000));
  const [first, second] = await Promise.all([store(1), store(2, large)]);
  expect(first[0]?.transaction).not.toBe(second[0]?.transaction);
});

test('a lost connection fails the writes in progress, and the next write works', async () => {
  const [row] = await store(1);
  await using other = await connect();
  const lost = Promise.allSettled([store(2), db.query(sleep)]);
  await vi.waitFor(async () => {
    const { rows } = await other.client.query(
      `select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`,
    );
    expect(rows).toHaveLength(1);
  });
  await other.client.query('select pg_terminate_backend($1)', [row?.pid]);
  const reason: unknown = expect.objectContaining({ code: 'unavailable', reason: 'outcome_unknown' });
  expect(await lost).toEqual([
    { status: 'rejected', reason },
    { status: 'rejected', reason },
  ]);
  await store(3);
  expect(await stored()).toBe(2);
});

test('when no connection can be opened, all waiting writes fail after one attempt', async () => {
  let attempts = 0;
  const silent = createServer(() => (attempts += 1)).listen(0, '127.0.0.1');
  opened.defer(() => void silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const group = new GroupCommit({
    settings: transactionSettings([]),
    timeline: new Timeline(),
    connection: { host: '127.0.0.1', port, connectionTimeoutMillis: 200 },
    alone: () => Promise.reject(new Error('none goes alone')),
    onLost: () => undefined,
  });
  const writes = Array.from({ length: 200 }, () => group.query({ name: 'one', text: 'select 1' }));
  for (const end of await Promise.allSettled(writes))
    expect(end).toMatchObject({ status: 'rejected', reason: { reason: 'database_unavailable' } });
  // The attempt may end before the server has accepted its connection; this one is accepted after it.
  const last = dial(port, '127.0.0.1');
  opened.defer(() => void last.destroy());
  await expect.poll(() => attempts).toBe(2);
});

test('a statement whose rows have changed their type commits with others again', async () => {
  const read: Statement = {
    name: 'read-thing',
    text: 'select number, pg_backend_pid() as pid from things where id = $1',
    groupCommit: true,
  };
  await store(1);
  const [before] = await db.query<{ pid: number }>(read, [1]);
  await db.query({ text: 'alter table things alter column number type text' });
  expect(await db.query(read, [1])).toMatchObject([{ number: '0' }]);
  expect(await db.query(read, [1])).toEqual([{ number: '0', pid: before?.pid }]);
});

test('a statement without rows and an empty statement can run beside others', async () => {
  const touch: Statement = { name: 'touch', text: 'update things set number = $2 where id = $1', groupCommit: true };
  const nothing: Statement = { name: 'nothing', text: '', groupCommit: true };
  const answers = await Promise.all([store(1), db.query(touch, [1, 2n]), db.query(nothing), db.query(everything)]);
  expect(answers).toMatchObject([[{ id: 1 }], [], [], [{ id: 1, number: 2n }]]);
});

test('disposing waits for writes in progress and refuses later ones', async () => {
  const writes = Promise.allSettled([store(1), store(1), store(2)]);
  await opened.disposeAsync();
  // When they are run again alone, either of the two with the same id may be the first.
  expect((await writes).map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  await expect(store(3)).rejects.toMatchObject({ reason: 'database_unavailable' });
});

test('any mix of writes, at any time, has the same result as the same writes alone', async () => {
  const write = fc.record({ id: fc.integer({ min: 1, max: 12 }), valid: fc.boolean(), turn: fc.nat({ max: 3 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(write, { maxLength: 20 }), async (writes) => {
      await db.query({ text: 'truncate things' });
      const ends = await Promise.allSettled(
        writes.map(async ({ id, valid, turn }) => {
          for (let passed = 0; passed < turn; passed += 1) await new Promise((resolve) => setImmediate(resolve));
          return store(id, valid ? '{}' : '}');
        }),
      );
      const winners = writes.filter((_, index) => ends[index]?.status === 'fulfilled').map(({ id }) => id);
      const wanted = new Set(writes.filter(({ valid }) => valid).map(({ id }) => id));
      expect(winners).toHaveLength(wanted.size);
      expect(new Set(winners)).toEqual(wanted);
      expect(await stored()).toBe(wanted.size);
    }),
    { numRuns: 60 },
  );
});

async function connect(): Promise<AsyncDisposable & { client: pg.Client }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return { client, [Symbol.asyncDispose]: () => client.end() };
}

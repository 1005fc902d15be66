import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from './index.ts';
import { type TestDatabase, testDatabaseUrl } from './testing/index.ts';

const log = pino({ level: 'silent' });
let server: TestDatabase;
let folder: string;
let opened: AsyncDisposableStack;

beforeEach(async () => {
  opened = new AsyncDisposableStack();
  server = opened.use(await testDatabaseUrl());
  folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  opened.defer(() => rm(folder, { recursive: true }));
  await migration('0001-create-notes.sql', 'create table notes(id bigint primary key, body json)');
});

afterEach(() => opened.disposeAsync());

async function migration(name: string, sql: string): Promise<void> {
  await writeFile(join(folder, name), sql);
}

async function open(service = 'alpha', poolSize = 2): Promise<Database> {
  const options = { service, url: server.url, poolSize, migrations: pathToFileURL(`${folder}/`) };
  return opened.use(await openDatabase(options, log));
}

describe('migrations', () => {
  test('replicas that start at once apply each file once', async () => {
    await migration('0002-seed.sql', "insert into notes(id, body) values (1, '{}')");
    await Promise.all(Array.from({ length: 5 }, () => open()));
    const db = await open();
    expect(await db.query({ text: 'select name from migrations order by name' })).toEqual([
      { name: '0001-create-notes.sql' },
      { name: '0002-seed.sql' },
    ]);
  });

  test('an applied file that was changed stops the start and is named', async () => {
    await open();
    await migration('0001-create-notes.sql', 'create table notes(id bigint)');
    await expect(open()).rejects.toThrow('alpha/0001-create-notes.sql was changed');
  });

  test('a failing file leaves nothing behind and is named', async () => {
    await migration('0002-broken.sql', 'create table half(id int); select nonsense');
    await expect(open()).rejects.toThrow('alpha/0002-broken.sql failed');
    await migration('0002-broken.sql', 'create table half(id int)');
    await open();
  });

  test('a replica with an older folder starts after a newer one', async () => {
    await migration('0002-more.sql', 'create table more(id int)');
    await open();
    await rm(join(folder, '0002-more.sql'));
    const older = await open();
    expect(await older.query({ text: 'select name from migrations' })).toHaveLength(2);
  });

  test('a file that has to wait for the lock of a table does not hold up others that use the table', async () => {
    const db = await open();
    const reader = new pg.Client({ connectionString: server.url });
    await reader.connect();
    opened.defer(() => reader.end());
    await reader.query('begin; select from alpha.notes');
    await migration('0002-add-column.sql', 'alter table notes add column title text');
    const opening = open();
    const waits = "select from pg_stat_activity where wait_event_type = 'Lock' and query like 'alter table notes%'";
    await expect.poll(() => countRows(waits), { timeout: 30_000, interval: 20 }).toBe(1);
    // Without a limit on the wait for the lock, this would wait for the reader's transaction, which ends after it.
    await db.query({ text: 'insert into notes(id) values (1)' });
    await reader.query('commit');
    await opening;
    expect(await db.query({ text: 'select title from notes' })).toEqual([{ title: null }]);
  }, 60_000);

  test('a file is applied with the limits of all sessions, so that a replica that vanishes holds no lock for hours', async () => {
    await migration('0002-note-limits.sql', `create table limits as select name, setting from pg_settings`);
    const db = await open();
    const text = `select setting from limits where name in ('idle_in_transaction_session_timeout', 'statement_timeout') order by name`;
    expect(await db.query({ text })).toEqual([{ setting: '15000' }, { setting: '3600000' }]);
  });

  test('an index of a grown table is built without keeping writers off, also after an interrupted build', async () => {
    const db = await open();
    await db.query({ text: 'insert into notes(id) values (1), (2)' });
    await migration(
      '0002-index-notes.sql',
      '-- A grown table; see above.\ncreate index concurrently notes_body on notes ((body::text));',
    );
    const writer = new pg.Client({ connectionString: server.url });
    await writer.connect();
    opened.defer(() => writer.end());
    // A build of before, which was interrupted.
    await writer.query(
      "create index notes_body on alpha.notes ((body::text)); update pg_index set indisvalid = false where indexrelid = 'alpha.notes_body'::regclass",
    );
    await writer.query('begin; insert into alpha.notes(id) values (3)');
    const opening = open();
    const builds = "select from pg_stat_activity where query like '% index concurrently%' and wait_event_type = 'Lock'";
    await expect.poll(() => countRows(builds), { timeout: 30_000, interval: 20 }).toBe(1);
    await db.query({ text: 'insert into notes(id) values (4)' });
    await writer.query('commit');
    await opening;
    const valid = "select indisvalid as valid from pg_index where indexrelid = 'notes_body'::regclass";
    expect(await db.query({ text: valid })).toEqual([{ valid: true }]);
  }, 60_000);

  test('a file that builds an index concurrently does nothing else', async () => {
    await migration('0002-both.sql', 'create index concurrently a on notes (id); alter table notes add column b int');
    await expect(open()).rejects.toThrow('0002-both.sql has statements beside');
  });

  test('a file numbered below an applied one is refused', async () => {
    await migration('0003-late.sql', 'select 1');
    await open();
    await migration('0002-early.sql', 'select 1');
    await expect(open()).rejects.toThrow('0002-early.sql comes before 0003-late.sql');
  });
});

/** Asks as a superuser, who sees the statements of all roles, and outside of a transaction, which would see the same again and again. */
async function countRows(statement: string): Promise<number | null> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    return (await client.query(statement)).rowCount;
  } finally {
    await client.end();
  }
}

describe('schema and role', () => {
  test('a service cannot read the tables of another', async () => {
    const alpha = await open('alpha');
    const beta = await open('beta');
    await alpha.query({ text: 'insert into notes(id) values (1)' });
    expect(await beta.query({ text: 'select * from notes' })).toEqual([]);
    await expect(beta.query({ text: 'select * from alpha.notes' })).rejects.toThrow(
      'permission denied for schema alpha',
    );
  });

  test('a connecting role that may not create roles owns the schema itself', async () => {
    const url = await createLogin('plain', '');
    expect(await roleAtWork(url)).toMatch(/^plain_/);
  });

  test('a connecting role that may create roles hands the schema to the role of the service', async () => {
    const url = await createLogin('creator', 'createrole');
    expect(await roleAtWork(url)).toMatch(/^agentmesh_gamma_/);
  });

  /** Roles belong to the server, so their names contain a part of the database's name. */
  async function createLogin(prefix: string, attributes: string): Promise<string> {
    const name = `${prefix}_${new URL(server.url).pathname.slice(-8)}`;
    const admin = new pg.Client({ connectionString: server.url });
    await admin.connect();
    await admin.query(`create role ${name} login password 'secret' ${attributes}`);
    await admin.query(`grant create on database ${new URL(server.url).pathname.slice(1)} to ${name}`);
    await admin.end();
    const url = new URL(server.url);
    url.username = name;
    url.password = 'secret';
    return url.href;
  }

  async function roleAtWork(url: string): Promise<string | undefined> {
    const service = `gamma_${new URL(server.url).pathname.slice(-8)}`;
    const options = { service, url, poolSize: 1, migrations: pathToFileURL(`${folder}/`) };
    await using db = await openDatabase(options, log);
    await db.query({ text: 'insert into notes(id) values (1)' });
    const rows = await db.query<{ name: string }>({ text: 'select current_user::text as name' });
    return rows[0]?.name;
  }
});

describe('queries', () => {
  test('a statement that was prepared while its table was small finds rows by index when the table has grown', async () => {
    const db = await open('alpha', 1);
    const find = (id: number) => db.query({ name: 'find-note', text: 'select body from notes where id = $1' }, [id]);
    const scans = async () => {
      const text =
        "select pg_stat_force_next_flush(), idx_scan::integer as by_index, seq_scan::integer as whole from pg_stat_user_tables where relname = 'notes'";
      const [row] = await db.query<{ by_index: number; whole: number }>({ text });
      return row ?? { by_index: 0, whole: 0 };
    };
    // Making the index of the primary key has scanned the table once.
    const before = await scans();
    await db.query({ text: 'insert into notes(id) select generate_series(1, 5)' });
    await db.query({ text: 'analyze notes' });
    // PostgreSQL keeps the plan of a prepared statement from its sixth execution on.
    for (let id = 1; id <= 10; id += 1) await find(id);
    await db.query({ text: 'insert into notes(id) select generate_series(6, 5000)' });
    for (let id = 1; id <= 10; id += 1) await find(id);
    await expect.poll(async () => (await scans()).by_index).toBeGreaterThanOrEqual(20);
    expect((await scans()).whole).toBe(before.whole);
  });

  test('json survives byte for byte and bigint arrives as bigint', async () => {
    const db = await open();
    const body = '{"b": 1.0,\n "a": [null, 1e3],  "a": "\\u00e9é"}';
    await db.query({ name: 'put', text: 'insert into notes(id, body) values ($1, $2)' }, [9007199254740993n, body]);
    const rows = await db.query({
      text: 'select id, body, array[id, null] as ids, array[body] as bodies, 1.5::float8 as f, to_timestamp(0) as t from notes',
    });
    expect(rows).toEqual([
      { id: 9007199254740993n, body, ids: [9007199254740993n, null], bodies: [body], f: 1.5, t: new Date(0) },
    ]);
  });

  test('a transaction that throws leaves nothing', async () => {
    const db = await open();
    const work = db.transaction(async (tx) => {
      await tx.query({ text: 'insert into notes(id) values (1)' });
      throw new Error('changed my mind');
    });
    await expect(work).rejects.toThrow('changed my mind');
    expect(await db.query({ text: 'select id from notes' })).toEqual([]);
  });

  test('a statement that is refused keeps its connection', async () => {
    const db = await open('alpha', 1);
    const backend = { text: 'select pg_backend_pid() as pid' };
    const insert = { text: 'insert into notes(id) values (1)' };
    const before = await db.query(backend);
    await db.query(insert);
    await expect(db.query(insert)).rejects.toMatchObject({ code: '23505' });
    expect(await db.query(backend)).toEqual(before);
  });

  test('lost connections are errors of their statements, and the next statement works', async () => {
    const db = await open();
    const wait = { text: 'select pg_sleep(60)' };
    const broken = [db.query(wait), db.transaction((tx) => tx.query(wait))].map((work) =>
      expect(work).rejects.toMatchObject({ code: 'unavailable', reason: 'database_unavailable' }),
    );
    await endSleepers(broken.length);
    await Promise.all(broken);
    await db.ping();
  });

  async function endSleepers(count: number): Promise<void> {
    const admin = new pg.Client({ connectionString: server.url });
    await admin.connect();
    const end = `select pid, pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event = 'PgSleep'`;
    // One that ends may still be there at the next look.
    const ended = new Set<number>();
    while (ended.size < count) for (const { pid } of (await admin.query<{ pid: number }>(end)).rows) ended.add(pid);
    await admin.end();
  }

  test('a server that cannot be reached is unavailable', async () => {
    const options = {
      service: 'alpha',
      url: 'postgres://x:y@127.0.0.1:1/z',
      poolSize: 1,
      migrations: pathToFileURL(folder),
    };
    await expect(openDatabase(options, log)).rejects.toMatchObject({ reason: 'database_unavailable' });
  });
});

describe('scripts', () => {
  test('a script has the long limit of statements, what follows the usual one, and both are one transaction', async () => {
    const db = await open();
    const limit = { text: 'show statement_timeout' };
    const transactions = async (): Promise<number> => {
      // Counts of a session reach the others when it asks for that.
      const text = 'select pg_stat_force_next_flush(); select pg_stat_clear_snapshot()';
      await db.runScript(text);
      const [row] = await db.runScript(
        'select xact_commit as count from pg_stat_database where datname = current_database()',
      );
      return Number(row?.['count']);
    };
    expect(await db.runScript('show statement_timeout')).toEqual([{ statement_timeout: '10min' }]);
    const before = await transactions();
    for (let script = 0; script < 20; script += 1) await db.runScript('select 1');
    expect((await transactions()) - before).toBeLessThan(40);
    expect(await db.transaction((tx) => tx.query(limit))).toEqual([{ statement_timeout: '6s' }]);
  });

  test('an index may be built concurrently', async () => {
    const db = await open();
    await db.runScript('create index concurrently notes_body on notes ((body::text))');
    expect(await db.runScript('begin; select 1 as one; commit; select 2 as one')).toEqual([{ one: 1 }, { one: 2 }]);
    expect(await db.transaction((tx) => tx.query({ text: 'show statement_timeout' }))).toEqual([
      { statement_timeout: '6s' },
    ]);
  });
});

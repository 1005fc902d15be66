import pg from 'pg';
import { expect, test } from 'vitest';
import { testDatabaseUrl } from '../../pg/testing/index.ts';
import { prepareBusSchema } from './bus-schema.ts';

async function at<Row extends object = object>(url: string, statement: string): Promise<pg.QueryResult<Row>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query<Row>(statement);
  } finally {
    await client.end();
  }
}

test('its owner closes a schema that every login could use; another login is told what to run', async () => {
  await using database = await testDatabaseUrl();
  const login = new URL(database.url);
  login.username = `bus_${login.pathname.slice(1)}`;
  login.password = 'password-of-a-login';
  await prepareBusSchema(database.url);
  await at(database.url, `create role ${login.username} login password '${login.password}'`);
  try {
    await at(
      database.url,
      `drop function bus.trim(text); alter table bus.messages disable row level security; grant usage on schema bus to public;
        grant select, insert, update, delete on all tables in schema bus to public`,
    );
    await expect(prepareBusSchema(login.href)).rejects.toThrow('npm start -- migrate');
    expect((await at(login.href, 'delete from bus.messages')).command).toBe('DELETE');
    await prepareBusSchema(database.url);
    await prepareBusSchema(login.href);
    await expect(at(login.href, 'delete from bus.messages')).rejects.toMatchObject({ code: '42501' });
  } finally {
    await at(database.url, `drop role ${login.username}`);
  }
});

test('functions that a restore without rights has opened to every login are closed', async () => {
  await using database = await testDatabaseUrl();
  await prepareBusSchema(database.url);
  await at(database.url, 'grant execute on all functions in schema bus to public');
  await prepareBusSchema(database.url);
  const open = `select oid::regprocedure::text as name from pg_proc
    where pronamespace = 'bus'::regnamespace and has_function_privilege('public', oid, 'EXECUTE')`;
  expect((await at(database.url, open)).rows).toEqual([]);
});

test('trimming looks at no messages that stay, however many wait for a consumer, and deletes those that have to go', async () => {
  await using database = await testDatabaseUrl();
  await prepareBusSchema(database.url);
  const [kept, acknowledged] = [20_000, 10];
  await at(
    database.url,
    `insert into bus.messages (subject, id, sender, payload) select 't', 'i', 's', '' from generate_series(1, ${kept});
      insert into bus.durables (subject, durable, position)
        select 't', 'away', seq from (select seq from bus.messages order by seq offset ${acknowledged - 1} limit 1) m
        union all select 't', 'fast', max(seq) from bus.messages;
      analyze bus.messages`,
  );
  const trim = `select bus.trim('t')`;
  const count = async (): Promise<number | undefined> => {
    const text = 'select count(*)::integer as number from bus.messages';
    return (await at<{ number: number }>(database.url, text)).rows[0]?.number;
  };
  await at(database.url, trim);
  expect(await count()).toBe(kept - acknowledged);
  expect(await blocksOf(database.url, trim)).toBeLessThan(100);
  await at(
    database.url,
    `update bus.messages set created_at = now() - interval '4 days'
    where seq in (select seq from bus.messages order by seq limit ${500 - acknowledged})`,
  );
  await at(database.url, trim);
  expect(await count()).toBe(kept - 500);
});

test('messages of a topic stay for a consumer that is away, however many other topics have meanwhile; of its own a million stay', async () => {
  await using database = await testDatabaseUrl();
  await prepareBusSchema(database.url);
  const insert = (count: number): string =>
    `insert into bus.messages (subject, id, sender, payload) select 't', 'i', 's', '' from generate_series(1, ${count});`;
  await at(
    database.url,
    `insert into bus.durables (subject, durable) values ('t', 'away'); ${insert(10)}
      alter table bus.messages alter column seq restart with 3000000; ${insert(10)}`,
  );
  const trimmed = async (): Promise<number | undefined> => {
    await at(database.url, `select bus.trim('t')`);
    const text = 'select count(*)::integer as number from bus.messages';
    return (await at<{ number: number }>(database.url, text)).rows[0]?.number;
  };
  expect(await trimmed()).toBe(20);
  await at(database.url, insert(1_000_000));
  expect(await trimmed()).toBe(1_000_000);
}, 60_000);

test('a process starts on the schema of a later release, and changes that of an earlier one', async () => {
  await using database = await testDatabaseUrl();
  await prepareBusSchema(database.url);
  const describe = (version: string): string => `comment on function bus.trim(text) is ${version}`;
  const read = `select obj_description('bus.trim(text)'::regprocedure) as comment`;
  const prepared = async (): Promise<unknown> => {
    await prepareBusSchema(database.url);
    return (await at<{ comment: string }>(database.url, read)).rows[0]?.comment;
  };
  await at(database.url, describe(`'version 99'`));
  expect(await prepared()).toBe('version 99');
  await at(database.url, describe('null'));
  expect(await prepared()).toBe('version 3');
});

test('messages of a subject are numbered in the order of their commits, also those that an earlier release adds', async () => {
  await using database = await testDatabaseUrl();
  await prepareBusSchema(database.url);
  const insert = (id: string, subject: string): string =>
    `insert into bus.messages (subject, id, sender, payload) values ('${subject}', '${id}', 's', '')`;
  const first = new pg.Client({ connectionString: database.url });
  await first.connect();
  try {
    await first.query(`begin; ${insert('first', 't')}`);
    let isSecondStored = false;
    const second = at(database.url, insert('second', 't')).then(() => (isSecondStored = true));
    const waiting = `select from pg_locks join pg_stat_activity using (pid) where datname = current_database() and not granted`;
    await expect.poll(async () => (await at(database.url, waiting)).rowCount).toBe(1);
    await at(database.url, insert('of another subject', 'u'));
    expect(isSecondStored).toBe(false);
    await first.query('commit');
    await second;
    const { rows } = await at<{ id: string }>(
      database.url,
      `select id from bus.messages where subject = 't' order by seq`,
    );
    expect(rows.map(({ id }) => id)).toEqual(['first', 'second']);
  } finally {
    await first.end();
  }
});

/** Blocks that a statement looks at. The first call in a session also reads the catalog. */
async function blocksOf(url: string, statement: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
    type Explained = { 'QUERY PLAN': { Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number } }[] };
    const { rows } = await client.query<Explained>(`explain (analyze, buffers, format json) ${statement}`);
    const plan = rows[0]?.['QUERY PLAN'][0]?.Plan;
    return plan === undefined ? Infinity : plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  } finally {
    await client.end();
  }
}

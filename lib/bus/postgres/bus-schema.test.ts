import pg from 'pg';
import { expect, test } from 'vitest';
import { testDatabaseUrl } from '../../pg/testing/index.ts';
import { prepareBusSchema } from './bus-schema.ts';

async function at(url: string, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(statement);
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

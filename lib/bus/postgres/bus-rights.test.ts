import pg from 'pg';
import { expect, test } from 'vitest';
import { testDatabaseUrl } from '../../pg/testing/index.ts';
import { grantBusRights } from './bus-rights.ts';
import { prepareBusSchema } from './bus-schema.ts';

test('giving rights waits for those who read the tables, and does not hold up those who send meanwhile', async () => {
  await using resources = new AsyncDisposableStack();
  const { url } = resources.use(await testDatabaseUrl());
  await prepareBusSchema(url);
  const login = `bus_rights_${new URL(url).pathname.slice(1)}`;
  const [reader, sender] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })];
  for (const client of [reader, sender]) {
    await client.connect();
    resources.defer(() => client.end());
  }
  await sender.query(`create role ${login}`);
  resources.defer(async () => void (await sender.query(`drop owned by ${login}; drop role ${login}`)));
  await reader.query('begin; select from bus.messages');
  const publishes = [{ subject: 'agentmesh.a.v1.happened', durables: ['b'] }];
  const granting = grantBusRights({ url, login, rights: [{ service: 'a', publishes, consumes: [] }] });
  const waits = "select from pg_stat_activity where wait_event_type = 'Lock' and query like 'create policy%'";
  await expect.poll(async () => (await sender.query(waits)).rowCount, { timeout: 30_000, interval: 20 }).toBe(1);
  // Without a limit on the wait for the lock, this would wait for the reader's transaction, which ends after it.
  await sender.query("insert into bus.messages (subject, id, sender, payload) values ('s', 'i', 'a', '')");
  await reader.query('commit');
  await granting;
  const { rows } = await sender.query('select tablename from pg_policies where $1 = any(roles) order by 1', [login]);
  expect(rows).toEqual([{ tablename: 'durables' }, { tablename: 'messages' }]);
}, 60_000);

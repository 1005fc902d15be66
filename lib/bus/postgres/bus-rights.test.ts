import pg from 'pg';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { testDatabaseUrl } from '../../pg/testing/index.ts';
import { grantBusRights } from './bus-rights.ts';
import { prepareBusSchema } from './bus-schema.ts';
import { createPgDriver } from './create-pg-driver.ts';

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

test('a publisher removes the durable consumer of an earlier release, its dead letters and messages, when nobody has held it for a day', async () => {
  await using resources = new AsyncDisposableStack();
  const { url } = resources.use(await testDatabaseUrl());
  await prepareBusSchema(url);
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  resources.defer(() => admin.end());
  const own = new URL(url);
  own.username = `bus_retire_${own.pathname.slice(1)}`;
  own.password = 'password-of-a-login';
  await admin.query(`create role ${own.username} login password '${own.password}'`);
  resources.defer(async () => void (await admin.query(`drop owned by ${own.username}; drop role ${own.username}`)));
  const topic = { subject: 'agentmesh.a.v1.happened', durables: [], former: ['gone', 'here'] };
  const rights = [{ service: 'a', publishes: [topic], consumes: [] }];
  await grantBusRights({ url, login: own.username, rights });
  const earlier = { service: 'a', topics: [{ subject: topic.subject, durables: topic.former }] };
  const message = (id: string) => ({ id, subject: topic.subject, sender: 'a', payload: new Uint8Array() });

  const driver = resources.use(await createPgDriver({ url: own.href, log: pino({ level: 'silent' }) }));
  await (await driver.openStream(earlier)).append([message('a:1')]);
  await admin.query(`update bus.durables set lease_until = now() - interval '23 hours' where durable = 'here'`);
  await admin.query(`insert into bus.dead_letters (subject, durable, seq, id, sender, payload, reason)
    select subject, durable, 1, '', '', '', '' from bus.durables`);
  const left = async () => {
    const tables = ['durables', 'dead_letters'].map((table) => admin.query(`select durable from bus.${table}`));
    const rows = (await Promise.all(tables)).map(({ rows: found }) =>
      found.map(({ durable }: { durable: string }) => durable),
    );
    return [...rows, (await admin.query('select from bus.messages')).rowCount];
  };
  expect((await left()).at(-1)).toBe(1);
  await driver.openStream({ service: 'a', topics: [topic] });
  expect(await left()).toEqual([['here'], ['here'], 1]);
  await admin.query(`update bus.durables set lease_until = now() - interval '25 hours'`);
  await driver.openStream({ service: 'a', topics: [topic] });
  expect(await left()).toEqual([[], [], 0]);
});

import pg from 'pg';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import type { Delivery } from '../driver/index.ts';
import { startFailingOver, testDatabaseUrl } from '../../pg/testing/index.ts';
import type { DriverBench } from '../driver/driver-bench.ts';
import { describeDriver } from '../driver/driver-conformance.ts';
import { createPgDriver } from './create-pg-driver.ts';

const log = pino({ level: 'silent' });

async function createBench(): Promise<DriverBench> {
  const database = await testDatabaseUrl();
  return {
    open: () => createPgDriver({ url: database.url, log }),
    cutConnections: () => cutConnections(database.url),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

async function cutConnections(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name like 'agentmesh bus%'`);
  await client.end();
}

// Before the others: Node tells a warning once.
test('many statements at once on the connection that listens are answered, and `pg` warns of nothing', async () => {
  const warnings: string[] = [];
  const note = ({ message }: Error) => void warnings.push(message);
  process.on('warning', note);
  using _ = { [Symbol.dispose]: () => process.off('warning', note) };
  await using database = await testDatabaseUrl();
  await using driver = await createPgDriver({ url: database.url, log });
  const heard: string[] = [];
  const subjects = Array.from({ length: 8 }, (_, at) => `agentmesh.tests.v1.happened${at}`);
  await Promise.all([
    ...subjects.map((subject) => driver.subscribe(subject, () => void heard.push(subject))),
    driver.ping(),
    driver.ping(),
  ]);
  for (const subject of subjects) await driver.publish(subject, Buffer.from('hint'), { sender: 'tests' });
  await expect.poll(() => heard.toSorted()).toEqual(subjects);
  expect(warnings.filter((message) => message.includes('client.query()'))).toEqual([]);
});

describeDriver('PostgreSQL', createBench);

test('a server that cannot be reached is unavailable', async () => {
  const driver = createPgDriver({ url: 'postgres://x:y@127.0.0.1:1/z', log });
  await expect(driver).rejects.toMatchObject({ code: 'unavailable', reason: 'bus_unavailable' });
});

test('hints that may wait leave together, in order, with the first one that may not', async () => {
  await using database = await testDatabaseUrl();
  await using driver = await createPgDriver({ url: database.url, log });
  const heard: string[] = [];
  await driver.subscribe('agentmesh.tests.v1.happened', (payload) => void heard.push(Buffer.from(payload).toString()));
  const publish = (text: string, mayWait: boolean) =>
    driver.publish('agentmesh.tests.v1.happened', Buffer.from(text), { sender: 'tests' }, { mayWait });
  // The first one begins the pause.
  await publish('first', true);
  const sent: string[] = [];
  const waiting = ['second', 'third'].map((text) => publish(text, true).then(() => sent.push(text)));
  await publish('urgent', false);
  expect(sent).toEqual(['second', 'third']);
  await Promise.all(waiting);
  await expect.poll(() => heard).toEqual(['first', 'second', 'third', 'urgent']);
  await publish('last', true);
  await expect.poll(() => heard.at(-1)).toBe('last');
});

test('hints of one subject that leave together share notifications, and each is heard once, in order, large ones too', async () => {
  await using database = await testDatabaseUrl();
  await using driver = await createPgDriver({ url: database.url, log });
  const heard: string[] = [];
  await driver.subscribe('agentmesh.tests.v1.happened', (payload) => void heard.push(Buffer.from(payload).toString()));
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  let notifications = 0;
  client.on('notification', () => (notifications += 1));
  await client.query('listen "agentmesh.tests.v1.happened"');
  const texts = Array.from({ length: 200 }, (_, at) => `${at} ${'x'.repeat(at % 50 === 7 ? 12_000 : 40)}`);
  const publish = (text: string) =>
    driver.publish('agentmesh.tests.v1.happened', Buffer.from(text), { sender: 'tests' });
  await Promise.all(texts.map(publish));
  await expect.poll(() => heard).toEqual(texts);
  await expect.poll(() => notifications).toBeGreaterThan(0);
  await client.query('select 1');
  expect(notifications).toBeLessThan(20);
  await client.end();
});

test('a subscription ends while the server is away, and so does the driver', async () => {
  const database = await testDatabaseUrl();
  const driver = await createPgDriver({ url: database.url, log });
  const leave = await driver.subscribe('agentmesh.tests.v1.happened', () => undefined);
  await database[Symbol.asyncDispose]();
  const isAway = () =>
    driver.ping().then(
      () => false,
      () => true,
    );
  await expect.poll(isAway).toBe(true);
  await leave();
  await driver[Symbol.asyncDispose]();
});

test('a consumer takes the messages of a promoted standby that has lost what it had taken', async () => {
  await using server = await startFailingOver();
  await using driver = await createPgDriver({ url: server.url, log });
  const subject = 'agentmesh.tests.v1.thing_done';
  const stream = await driver.openStream({ service: 'tests', topics: [{ subject, durables: ['alpha'] }] });
  const append = (id: string) => stream.append([{ id, subject, sender: 'tests', payload: new Uint8Array() }]);
  const taken: string[] = [];
  const accept = (delivery: Delivery): void => {
    taken.push(delivery.id);
    delivery.ack();
  };
  await driver.consume({ subject, durable: 'alpha' }, { accept });
  const isTaken = (id: string) => expect.poll(() => taken.includes(id), { timeout: 60_000 }).toBe(true);
  // The first call finds connections that the restart of the server has closed.
  const again = (id: string) => vi.waitFor(() => append(id), { timeout: 60_000 });
  await append('kept');
  await isTaken('kept');
  await server.copy();
  for (const id of ['lost 1', 'lost 2', 'lost 3']) await again(id);
  await isTaken('lost 3');
  await server.failOver();
  await again('new 1');
  await isTaken('new 1');
}, 180_000);

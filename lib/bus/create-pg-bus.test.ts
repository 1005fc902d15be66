import pg from 'pg';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { testDatabaseUrl } from '../pg/testing.ts';
import { type BusDriver, describeBus } from './bus-conformance.ts';
import { createPgBus } from './create-pg-bus.ts';

const log = pino({ level: 'silent' });

async function createDriver(): Promise<BusDriver> {
  const database = await testDatabaseUrl();
  return {
    open: () => createPgBus({ url: database.url, log }),
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

describeBus('PostgreSQL', createDriver);

test('a bus that cannot be reached is unavailable', async () => {
  const bus = createPgBus({ url: 'postgres://x:y@127.0.0.1:1/z', log });
  await expect(bus).rejects.toMatchObject({ code: 'unavailable', reason: 'bus_unavailable' });
});

test('a subscription ends while the server is away, and so does the bus', async () => {
  const database = await testDatabaseUrl();
  const bus = await createPgBus({ url: database.url, log });
  const leave = await bus.subscribe('agentmesh.tests.v1.happened', () => undefined);
  await database[Symbol.asyncDispose]();
  const isAway = () =>
    bus.ping().then(
      () => false,
      () => true,
    );
  await expect.poll(isAway).toBe(true);
  await leave();
  await bus[Symbol.asyncDispose]();
});

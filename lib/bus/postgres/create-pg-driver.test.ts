import pg from 'pg';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { testDatabaseUrl } from '../../pg/testing/index.ts';
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

describeDriver('PostgreSQL', createBench);

test('a server that cannot be reached is unavailable', async () => {
  const driver = createPgDriver({ url: 'postgres://x:y@127.0.0.1:1/z', log });
  await expect(driver).rejects.toMatchObject({ code: 'unavailable', reason: 'bus_unavailable' });
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

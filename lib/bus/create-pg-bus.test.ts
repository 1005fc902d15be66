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

import { setTimeout as sleep } from 'node:timers/promises';
import { findNatsServer } from '@agentmesh/lib/bus/testing';
import pg from 'pg';
import { expect, test } from 'vitest';
import { startMesh } from '../mesh.ts';
import { natsEnvironments } from '../nats.ts';
import { countedPostgres } from './counted-postgres.ts';

// A count, which a busy machine makes smaller.
const mostPerSecond = 5;
/** Time for the work that processes do once after their start. */
const startMs = 15_000;
const seconds = 30;
const buses = ['PostgreSQL', ...((await findNatsServer()) === undefined ? [] : ['NATS'])];

test.concurrent.each(buses)(
  'nine processes without work, whose bus is %s, make fewer than five transactions a second together',
  { timeout: 180_000 },
  async (bus) => {
    await using resources = new AsyncDisposableStack();
    const database = resources.use(await countedPostgres());
    const ownEnv = bus === 'NATS' ? await natsEnvironments(resources) : undefined;
    resources.use(await startMesh({ mode: 'separate', databaseUrl: database.url, ...(ownEnv && { ownEnv }) }));
    const client = new pg.Client(database.url);
    await client.connect();
    try {
      await sleep(startMs);
      await database.reset();
      const before = await transactionsOf(client);
      await sleep(seconds * 1_000);
      const made = (await transactionsOf(client)) - before;
      const often = await client.query<{ statement: string }>(
        'select calls || $1 || left(query, 80) as statement from pg_stat_statements order by calls desc limit 12',
        [' times '],
      );
      expect(made / seconds, `made: ${often.rows.map(({ statement }) => statement).join(', ')}`).toBeLessThan(
        mostPerSecond,
      );
      // The look for dead executors alone is one in each second: a mesh that sends nothing is not idle but dead.
      expect(made).toBeGreaterThan(seconds / 2);
    } finally {
      await client.end();
    }
  },
);

async function transactionsOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ n: number }>(
    'select (xact_commit + xact_rollback)::float8 as n from pg_stat_database where datname = current_database()',
  );
  return rows[0]?.n ?? 0;
}

import { type Database, openDatabase } from '@agentmesh/lib/pg';
import { createLogger } from '@agentmesh/lib/telemetry';
import { expect, test } from 'vitest';
import { json, newKey, startSessions } from './sessions.ts';

const sessionCount = 300;

interface Reads {
  readonly scans: number;
  readonly rows: number;
}

/** Scans of the primary key of `state`, and rows that they read. PostgreSQL reports them up to a second later. */
async function readsOfState(db: Database): Promise<Reads> {
  const [reads] = await db.query<{ scans: number; rows: number }>({
    text: `select idx_scan::integer as scans, idx_tup_read::integer as rows from pg_stat_user_indexes
      where indexrelname = 'state_pkey'`,
  });
  return reads ?? { scans: 0, rows: 0 };
}

test('creating and deleting a session reads its own state only, on a database without statistics', async () => {
  await using service = await startSessions();
  const migrations = new URL('../migrations/', import.meta.url);
  const log = createLogger({ level: 'silent', name: 'test' });
  const url = service.databaseUrl;
  await using database = await openDatabase({ service: 'sessions', url, poolSize: 3, migrations }, log);

  const { accountId } = newKey();
  const keys = Array.from({ length: sessionCount }, () => newKey({ accountId }));
  for (const session of keys) await service.client.createSession({ session, stateJson: json({ k: 1 }) });
  await expect.poll(async () => (await readsOfState(database)).scans).toBeGreaterThanOrEqual(sessionCount);
  const created = await readsOfState(database);
  expect(created.rows / sessionCount).toBeLessThan(3);

  for (const session of keys) await service.client.deleteSession({ session });
  await expect
    .poll(async () => (await readsOfState(database)).scans)
    .toBeGreaterThanOrEqual(created.scans + sessionCount);
  expect(((await readsOfState(database)).rows - created.rows) / sessionCount).toBeLessThan(3);
  expect(await database.query({ text: 'select from state' })).toEqual([]);
});

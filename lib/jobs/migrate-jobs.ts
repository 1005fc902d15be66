import { type Database, jobsSchema } from '../pg/index.ts';
import { bossDatabase } from './boss-database.ts';
import { createRowLocks } from './row-locks.ts';

/** Creates or migrates the tables of a service's job queue. `openJobs` does the same for a login that owns them. */
export async function migrateJobs(service: string, db: Database): Promise<void> {
  const schema = jobsSchema(service);
  await createRowLocks(service, db);
  const { PgBoss } = await import('pg-boss');
  const boss = new PgBoss({
    db: bossDatabase(service, db),
    schema,
    createSchema: false,
    schedule: false,
    supervise: false,
  });
  // The statement in flight fails with the same error.
  boss.on('error', () => undefined);
  await boss.start();
  await boss.stop({ graceful: false });
}

import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

interface Held {
  readonly url: string;
  /** The table with its schema. */
  readonly table: string;
  /** Number of transactions that have to wait before they go on. */
  readonly atLeast: number;
}

const waiting = `select count(*)::integer as number from pg_stat_activity
  where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`;

/**
 * Holds back writes of a table until several transactions wait, then lets them go on at the same moment. So transactions that ought to come one after the other, and
 * do not, read what none of the others has committed yet. Rejects when too few wait within 30 s.
 */
export async function heldWrites<T>({ url, table, atLeast }: Held, work: () => Promise<T>): Promise<T> {
  const [holder, observer] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })];
  await Promise.all([holder.connect(), observer.connect()]);
  try {
    await holder.query(`begin; lock table ${table} in share mode`);
    const worked = work();
    await untilBlocked(observer, atLeast);
    await holder.query('commit');
    return await worked;
  } finally {
    // The end of the connection lets the writes go on in any case.
    await Promise.all([holder.end(), observer.end()]);
  }
}

async function untilBlocked(observer: pg.Client, atLeast: number): Promise<void> {
  const until = performance.now() + 30_000;
  for (;;) {
    const { rows } = await observer.query<{ number: number }>(waiting);
    if ((rows[0]?.number ?? 0) >= atLeast) return;
    if (performance.now() > until) throw new Error(`fewer than ${atLeast} transactions wait`);
    await pause(10);
  }
}

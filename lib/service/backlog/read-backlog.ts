import { type Database, jobsSchema } from '../../pg/index.ts';

/** Work of a service that waits in its database: how long the oldest of each kind has waited, in seconds; 0 when none waits. */
export interface Backlog {
  /** Since the oldest row of the outbox was committed. */
  readonly outboxSeconds: number;
  /** Since the oldest job that nobody has begun was due. */
  readonly jobsSeconds: number;
  /** Jobs that nobody has begun and that are due; counted up to 10,000. */
  readonly jobsDue: number;
}

interface Tables {
  readonly outbox: string | null;
  readonly jobs: string | null;
}

/** Returns how a service's backlog is read: with one statement, by the database's clock. A service may have no outbox, and no jobs. */
export async function backlogReader(service: string, db: Database): Promise<() => Promise<Backlog>> {
  const find = 'select to_regclass($1)::text as outbox, to_regclass($2)::text as jobs';
  const [tables] = await db.query<Tables & Record<string, unknown>>({ text: find }, [
    `${service}.outbox`,
    `${jobsSchema(service)}.job`,
  ]);
  const statement = { name: 'read-backlog', text: textOf(tables ?? { outbox: null, jobs: null }) };
  return async () => {
    const [row] = await db.query<Backlog & Record<string, unknown>>(statement);
    return row ?? { outboxSeconds: 0, jobsSeconds: 0, jobsDue: 0 };
  };
}

function textOf({ outbox, jobs }: Tables): string {
  // By the key, which finds it among any number of rows.
  const since = outbox === null ? 'null' : `(select created_at from ${outbox} order by id limit 1)`;
  const due = jobs === null ? 'null' : `(select min(start_after) from ${jobs} where state < 'active')`;
  const waiting = `select from ${jobs} where state < 'active' and start_after <= now() limit 10000`;
  const number = jobs === null ? '0' : `(select count(*)::integer from (${waiting}) due)`;
  const seconds = (time: string, name: string): string =>
    `coalesce(greatest(extract(epoch from clock_timestamp() - ${time}), 0), 0)::float8 as "${name}"`;
  return `select ${seconds(`${since}::timestamptz`, 'outboxSeconds')}, ${seconds(`${due}::timestamptz`, 'jobsSeconds')}, ${number} as "jobsDue"`;
}

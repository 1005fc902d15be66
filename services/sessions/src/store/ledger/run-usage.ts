import { createQuery, type Queryable } from '@agentmesh/lib/pg';

interface RunName {
  readonly sessionPk: bigint;
  readonly invocationId: string;
}

export interface RunUsageRow {
  /** JSON of what its ended attempts have used; null when that is nothing. */
  readonly usage: string | null;
  /** The turn of the run begins behind this sequence. */
  readonly turnAfter: number;
}

const findUsage = createQuery<RunName, RunUsageRow>({
  name: 'find-run-usage',
  text: (param) => `select usage::text as usage, coalesce(end_seq, first_seq - 1, 0) as "turnAfter" from runs
    where session_pk = ${param.sessionPk} and invocation_id = ${param.invocationId}`,
});

/** Undefined when the run is gone. */
export async function selectRunUsage(db: Queryable, run: RunName): Promise<RunUsageRow | undefined> {
  const [row] = await findUsage(db, run);
  return row;
}

import { createQuery } from '@agentmesh/lib/pg';

export interface UnfinishedRuns {
  readonly status: string;
  readonly number: number;
  /** Age of the oldest one in seconds. */
  readonly seconds: number;
}

/** Numbers of runs of all accounts that have not ended, by status. Reads each of them once, by the index of active runs. */
export const countUnfinished = createQuery<object, UnfinishedRuns>({
  name: 'count-unfinished-runs',
  text: () => `select status, count(*)::integer as number, extract(epoch from now() - min(created_at))::float8 as seconds
    from runs where ended_at is null group by status`,
});

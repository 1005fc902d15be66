import { createQuery } from '@agentmesh/lib/pg';

export interface UnfinishedRuns {
  readonly status: string;
  readonly number: number;
  /** Age of the oldest one in seconds. */
  readonly seconds: number;
}

/** Most runs that wait for answers that are counted: they may wait for days. */
const mostWaiting = 10_000;

/** Numbers of runs of all accounts that have not ended, by status. Reads each of them once, by the index of active runs and by that of waiting ones. */
export const countUnfinished = createQuery<object, UnfinishedRuns>({
  name: 'count-unfinished-runs',
  text: () => `select status, count(*)::integer as number, extract(epoch from now() - min(created_at))::float8 as seconds
    from runs where ended_at is null group by status
    union all select 'waiting', count(*)::integer, coalesce(extract(epoch from now() - min(ended_at)), 0)::float8
    from (select ended_at from runs where status = 'waiting' and attempt >= 0 order by ended_at limit ${mostWaiting}) waiting`,
});

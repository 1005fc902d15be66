import { createQuery, type Queryable } from '@agentmesh/lib/pg';
import { type DueRun, isAbandoned, isDue, joinSession, type RunRow, runColumns, toRun } from '../runs.ts';
import { maxWindowBytes } from '../events/window-bytes.ts';
import { isServed, numbered } from '../key-condition.ts';
import { joinVisibleSizes } from '../state.ts';

/** The executor that asks for dead runs. See ClaimRunsRequest. */
interface Asking {
  readonly apps: readonly string[];
  readonly takesOver: boolean;
  readonly limit: number;
}

const findDead = createQuery<Asking, RunRow & { readonly served: boolean; readonly deaths: number }>({
  name: 'find-dead-runs',
  text: (
    param,
  ) => `select ${runColumns}, ${isServed(param.apps, 'r.app_name')} as served, coalesce(r.takeovers, 0) + 1 as deaths
    from runs r ${joinSession}
    where ${isDue} and (r.status in ('running', 'cancelling')) is true
      and (not ${param.takesOver}::boolean or r.status = 'cancelling' or ${isAbandoned} or ${isServed(param.apps, 'r.app_name')})
    order by r.due_at limit ${param.limit}`,
});

/** A run whose executor is gone. */
export interface DeadRun extends DueRun {
  /** Whether the executor that asks serves its app. */
  readonly isServed: boolean;
  /** How many of its executors have died, this one included unless it has handed the run over. */
  readonly deaths: number;
}

/** Runs whose executor is gone, because they are due, and which the one that asks may take over or end: the longest due first. */
export async function findDeadRuns(db: Queryable, asking: Asking): Promise<DeadRun[]> {
  return (await findDead(db, asking)).map((row) => ({ ...toRun(row), isServed: row.served, deaths: row.deaths }));
}

const sizeTurns = createQuery<
  { accountIds: readonly string[]; sessionPks: readonly bigint[] },
  { sessionPk: bigint; eventBytes: number; stateBytes: number }
>({
  name: 'size-turns',
  text: (param) => `select m.pk as "sessionPk", m.bytes::float8 as "eventBytes", (
      select coalesce(sum(t.bytes), 0)::float8 from (select m.account_id, m.app_name, m.user_id, m.pk) m ${joinVisibleSizes}
    ) as "stateBytes"
    from unnest(${param.accountIds}::uuid[], ${param.sessionPks}::bigint[]) as l(account_id, pk)
    cross join lateral (select pk, account_id, app_name, user_id, bytes from sessions where ${numbered({ accountId: 'l.account_id', pk: 'l.pk' })} offset 0) m`,
});

/** Bytes of events and state that the turns of runs would have if they were taken now, or more, by the numbers of their sessions. */
export async function selectTurnBytes(
  db: Queryable,
  runs: readonly Pick<DueRun, 'accountId' | 'sessionPk'>[],
): Promise<Map<bigint, number>> {
  const rows = await sizeTurns(db, {
    accountIds: runs.map(({ accountId }) => accountId),
    sessionPks: runs.map(({ sessionPk }) => sessionPk),
  });
  return new Map(
    rows.map(({ sessionPk, eventBytes, stateBytes }) => [sessionPk, Math.min(eventBytes, maxWindowBytes) + stateBytes]),
  );
}

import { createQuery, type Queryable } from '@agentmesh/lib/pg';
import { isRun, isServed } from '../key-condition.ts';
import type { RunOfSession } from '../../session-key.ts';
import { ledgerColumns, type LedgerRow } from './ledger-run.ts';

/** A run whose answer did not come in time. */
export type OverdueRow = LedgerRow & { readonly account_id: string };

/** Seconds in which no other process gets the run. When it does not answer the run, another one does then. */
const claimSeconds = 60;

const findOverdue = createQuery<{ apps: readonly string[]; limit: number }, RunOfSession>({
  name: 'find-overdue-runs',
  text: (
    param,
  ) => `select account_id as "accountId", session_pk as "sessionPk", invocation_id as "invocationId" from runs
    where answer_by < now() and (status = 'waiting') is true and ${isServed(param.apps, 'app_name')}
    order by answer_by limit ${param.limit}`,
});

const claimOverdue = createQuery<RunOfSession, OverdueRow>({
  name: 'claim-overdue-run',
  groupCommit: true,
  text: (param) => `update runs r set answer_by = now() + make_interval(secs => ${claimSeconds})
    where ${isRun(param, 'r')} and (r.answer_by < now() and r.status = 'waiting') is true
    returning r.account_id, ${ledgerColumns}`,
});

/** Runs that have waited until `answer_by`, each to one caller. See ClaimRunsRequest.apps. */
export async function claimOverdueRuns(db: Queryable, apps: readonly string[], limit: number): Promise<OverdueRow[]> {
  const overdue = await findOverdue(db, { apps, limit });
  return (await Promise.all(overdue.map((run) => claimOverdue(db, run)))).flat();
}

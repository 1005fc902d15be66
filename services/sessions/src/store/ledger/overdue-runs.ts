import { createQuery, type Queryable } from '@agentmesh/lib/pg';
import { isServed } from '../key-condition.ts';
import { ledgerColumns, type LedgerRow } from './ledger-run.ts';

/** A run whose answer did not come in time. */
export type OverdueRow = LedgerRow & { readonly account_id: string };

/** Seconds in which no other process gets the run. When it does not answer the run, another one does then. */
const claimSeconds = 60;

const claimOverdue = createQuery<{ apps: readonly string[]; limit: number }, OverdueRow>({
  name: 'claim-overdue-runs',
  text: (param) => `with due as (
      select session_pk, invocation_id from runs
      where answer_by < now() and (status = 'waiting') is true
        and ${isServed(param.apps, 'app_name')}
      order by answer_by limit ${param.limit} for update skip locked
    )
    update runs r set answer_by = now() + make_interval(secs => ${claimSeconds})
    from due where r.session_pk = due.session_pk and r.invocation_id = due.invocation_id
    returning r.account_id, ${ledgerColumns}`,
});

/** Runs that have waited until `answer_by`. See ClaimRunsRequest.apps. */
export function claimOverdueRuns(db: Queryable, apps: readonly string[], limit: number): Promise<OverdueRow[]> {
  return claimOverdue(db, { apps, limit });
}

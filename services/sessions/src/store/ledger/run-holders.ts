import { createQuery, type Queryable } from '@agentmesh/lib/pg';
import { ledgerColumns, type LedgerRow } from './ledger-run.ts';

/** A run of any account. */
export type HeldLedgerRow = LedgerRow & { readonly account_id: string; readonly session_pk: bigint };

const findRun = (name: string, among: string) =>
  createQuery<{ invocationId: string }, HeldLedgerRow>({
    name,
    text: (param) => `select r.account_id, r.session_pk, ${ledgerColumns} from runs r
      where r.invocation_id = ${param.invocationId} and ${among} order by r.created_at desc, r.position desc limit 1`,
  });

/** Those that have not ended are few; the other statement reads the whole index of a ledger. */
const findActive = findRun('find-active-run-of-any-account', 'r.ended_at is null');
const findAny = findRun('find-run-of-any-account', 'r.ended_at is not null');

/** The newest run with this id that has not ended, else the newest one; undefined when there is none. */
export async function selectRunOfAnyAccount(db: Queryable, invocationId: string): Promise<HeldLedgerRow | undefined> {
  const [active] = await findActive(db, { invocationId });
  return active ?? (await findAny(db, { invocationId }))[0];
}

interface QueueValues {
  readonly accountId: string;
  readonly sessionPk: bigint;
  readonly position: bigint;
}

const listAhead = createQuery<QueueValues, { invocation_id: string }>({
  name: 'list-runs-ahead',
  text: (param) => `select invocation_id from runs
    where account_id = ${param.accountId} and session_pk = ${param.sessionPk} and ended_at is null and position < ${param.position}
    order by position limit 20`,
});

/** Ids of the runs of its session that come before a run. */
export async function selectRunsAhead(db: Queryable, run: HeldLedgerRow): Promise<string[]> {
  const { account_id: accountId, session_pk: sessionPk, position } = run;
  return (await listAhead(db, { accountId, sessionPk, position })).map((row) => row.invocation_id);
}

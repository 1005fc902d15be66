import { createQuery, type Queryable } from '@agentmesh/lib/pg';
import type { HeldRun } from '../runs.ts';

interface LeaseValues {
  readonly accountId: string;
  readonly owner: string;
  readonly leaseSeconds: number;
  readonly sessionPks: readonly bigint[];
  readonly invocationIds: readonly string[];
  readonly fences: readonly bigint[];
}

const renew = createQuery<LeaseValues, { session_pk: bigint; invocation_id: string }>({
  name: 'renew-leases',
  groupCommit: true,
  text: (param) => `with l as materialized (
      select ${param.accountId}::uuid as account_id, u.*
      from unnest(${param.sessionPks}::bigint[], ${param.invocationIds}::text[], ${param.fences}::bigint[]) as u(session_pk, invocation_id, fence)
    )
    update runs r set lease_until = now() + make_interval(secs => ${param.leaseSeconds}::float8),
      takeovers = case when ${param.leaseSeconds}::float8 = 0 then coalesce(r.takeovers, 0) - 1 else r.takeovers end
    from l
    where r.account_id = l.account_id and r.session_pk = l.session_pk and r.invocation_id = l.invocation_id and r.fence = l.fence
      and (r.status = 'running') is true and r.owner = ${param.owner}
    returning r.session_pk, r.invocation_id`,
});

/** Extends the leases of an owner's running attempts of one account; 0 s gives them up, and their takeover counts for none. Answers those that are still held, as `<session pk>/<invocation id>`. */
export async function updateLeases(
  db: Queryable,
  owner: string,
  { leaseSeconds, ...leases }: AccountLeases & { leaseSeconds: number },
): Promise<Set<string>> {
  return namesOf(await renew(db, { owner, leaseSeconds, ...leaseArrays(leases) }));
}

/** Attempts of one account. */
interface AccountLeases {
  readonly accountId: string;
  readonly runs: readonly Omit<HeldRun, 'accountId'>[];
}

function leaseArrays({ accountId, runs }: AccountLeases) {
  return {
    accountId,
    sessionPks: runs.map((run) => run.sessionPk),
    invocationIds: runs.map((run) => run.invocationId),
    fences: runs.map((run) => run.fence),
  };
}

function namesOf(rows: readonly { readonly session_pk: bigint; readonly invocation_id: string }[]): Set<string> {
  return new Set(rows.map((row) => `${row.session_pk}/${row.invocation_id}`));
}

const findCancelling = createQuery<
  Pick<LeaseValues, 'accountId' | 'sessionPks' | 'invocationIds' | 'fences'>,
  { session_pk: bigint; invocation_id: string; error_code: string | null }
>({
  name: 'find-cancelling-runs',
  text: (param) => `select r.session_pk, r.invocation_id, r.error_code
    from unnest(${param.sessionPks}::bigint[], ${param.invocationIds}::text[], ${param.fences}::bigint[])
      as l(session_pk, invocation_id, fence)
    cross join lateral (
      select session_pk, invocation_id, error_code from runs
      where account_id = ${param.accountId} and session_pk = l.session_pk and invocation_id = l.invocation_id and fence = l.fence and status = 'cancelling' offset 0
    ) r`,
});

/** Those of an account's attempts that are being stopped, as `<session pk>/<invocation id>`, with the error code of another cause than cancel. */
export async function selectCancelling(db: Queryable, leases: AccountLeases): Promise<Map<string, string | null>> {
  const rows = await findCancelling(db, leaseArrays(leases));
  return new Map(rows.map((row) => [`${row.session_pk}/${row.invocation_id}`, row.error_code]));
}

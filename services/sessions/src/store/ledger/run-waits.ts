import { createQuery, type Queryable } from '@agentmesh/lib/pg';
import type { Lease } from '@agentmesh/proto/sessions/v1';

interface WaitValues {
  readonly accountId: string;
  readonly invocationIds: readonly string[];
  readonly sessionPks: readonly bigint[];
  readonly waits: readonly string[];
  readonly times: readonly number[];
}

const store = createQuery<WaitValues, never>({
  name: 'store-run-waits',
  text: (param) => `with old as (
      delete from run_waits where account_id = ${param.accountId} and told_at < now() - interval '1 hour'
    )
    insert into run_waits (account_id, invocation_id, session_pk, waiting_on, since)
    select ${param.accountId}::uuid, w.* from unnest(
      ${param.invocationIds}::text[], ${param.sessionPks}::bigint[], ${param.waits}::text[], ${param.times}::float8[]
    ) w order by 2, 3, 5
    on conflict (account_id, invocation_id, session_pk, since) do update
      set waiting_on = excluded.waiting_on, told_at = excluded.told_at`,
});

/** Notes what runs of an account wait for, and forgets what was told more than an hour ago. */
export async function storeWaits(db: Queryable, accountId: string, leases: readonly Lease[]): Promise<void> {
  await store(db, {
    accountId,
    invocationIds: leases.map(({ invocationId }) => invocationId),
    sessionPks: leases.map(({ sessionPk }) => sessionPk),
    waits: leases.map(({ waitingOn }) => waitingOn),
    times: leases.map(({ waitingSince }) => waitingSince),
  });
}

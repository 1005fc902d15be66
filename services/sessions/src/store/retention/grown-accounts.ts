import { createQuery, type Queryable } from '@agentmesh/lib/pg';
import { type Grown, metadataOfRun } from '../../account-usage.ts';
import { bytesOfRow } from '../sizes.ts';
import { deleteKeysOfGone } from './keys-of-runs.ts';

/** The amount of a kind that an account has counted, and the amount when it was counted anew for the last time. */
export interface GrownAccount {
  readonly accountId: string;
  readonly kind: Grown;
  readonly number: bigint;
  readonly counted: bigint;
}

interface Limits {
  readonly kinds: readonly Grown[];
  readonly mosts: readonly number[];
}

const findGrown = createQuery<Limits, GrownAccount>({
  name: 'find-grown-accounts',
  text: (param) => `select u.account_id as "accountId", u.kind, u.number, coalesce(c.number, 0) as counted
    from unnest(${param.kinds}::text[], ${param.mosts}::bigint[]) as l(kind, most)
    join usage u on u.kind = l.kind and u.number >= l.most / 8
    left join lateral (
      select number from usage where account_id = u.account_id and kind = u.kind || '_counted' offset 0
    ) c on true
    where u.number >= l.most * 9 / 10 or u.number - coalesce(c.number, 0) >= l.most / 8`,
});

/** Accounts that have nine tenths of a limit, or have added an eighth of it since they were counted anew. */
export function selectGrownAccounts(db: Queryable, limits: Limits): Promise<GrownAccount[]> {
  return findGrown(db, limits);
}

/** SQL expression: how much a run counts, see `countRun`. */
const weight = `(1 + coalesce(octet_length(custom_metadata::text), 0) / ${metadataOfRun})`;

const counts: Readonly<Record<Grown, string>> = {
  runs: `sum(${weight}) as number from runs`,
  run_keys: 'count(*) as number from run_keys',
  state: `sum(bytes + ${bytesOfRow}) as number from state`,
};

function createCount(kind: Grown) {
  return createQuery<{ readonly accountId: string }, { number: bigint }>({
    name: `count-${kind}-of-account`,
    text: (param) =>
      `select coalesce(number, 0)::bigint as number from (select ${counts[kind]} where account_id = ${param.accountId}) c`,
  });
}

const countRuns = createCount('runs');
const countKeys = createCount('run_keys');
const countState = createCount('state');
const countOf = { runs: countRuns, run_keys: countKeys, state: countState };

/** The amount of a kind that an account has. Reads all its rows. */
export async function countRows(db: Queryable, accountId: string, kind: Grown): Promise<bigint> {
  const [row] = await countOf[kind](db, { accountId });
  return row?.number ?? 0n;
}

interface Oldest {
  readonly accountId: string;
  readonly limit: number;
}

const deleteOldest = createQuery<Oldest, { runs: number; weight: bigint }>({
  name: 'delete-oldest-runs',
  // The oldest of each status: no index has the ended runs of an account in the order of their time.
  text: (param) => `with old as (
      select r.* from unnest(array['completed', 'failed', 'cancelled', 'interrupted']) as s(status) cross join lateral (
        select account_id, session_pk, invocation_id, created_at, position from runs
        where account_id = ${param.accountId} and status = s.status and ended_at is not null and attempt >= 0
        order by created_at, position limit ${param.limit}
      ) r order by r.created_at, r.position limit ${param.limit}
    ), gone as (
      delete from runs r using old where r.account_id = old.account_id and r.session_pk = old.session_pk and r.invocation_id = old.invocation_id
        and r.ended_at is not null
      returning r.session_pk, r.invocation_id, ${weight} as weight
    ), keys as (
      ${deleteKeysOfGone(param.accountId)}
    )
    select count(*)::integer as runs, coalesce(sum(weight), 0)::bigint as weight from gone`,
});

/** Deletes the oldest ended runs of an account, with their idempotency keys. Runs that wait for an answer stay. Answers their number and how much they counted. */
export async function deleteOldestRuns(db: Queryable, oldest: Oldest): Promise<{ runs: number; weight: number }> {
  const [row] = await deleteOldest(db, oldest);
  return { runs: row?.runs ?? 0, weight: Number(row?.weight ?? 0n) };
}

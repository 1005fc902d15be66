import type { Statement, Transaction } from '@agentmesh/lib/pg';

/** Numbers of rows that one step has erased. */
export interface ErasedStep {
  readonly sessions: number;
  readonly events: number;
  readonly runs: number;
  readonly state: number;
  /** Runs that had not ended. */
  readonly cancelled: readonly {
    readonly invocationId: string;
    readonly sessionPk: bigint;
    readonly awaited: boolean;
  }[];
}

/** A run that had not ended; without an id: there was none. */
interface ErasedRun {
  /** Number of all runs, not only those that had not ended. */
  readonly number: number;
  readonly invocation_id: string | null;
  readonly session_pk: bigint;
  readonly awaited: boolean;
}

interface LockedSession {
  readonly pk: bigint;
  readonly last_seq: number;
}

const batch = 50;
/** Events of the sessions that one step erases, unless one alone has more. */
const mostEvents = 100_000;

const lock: Statement = {
  text: `select pk, last_seq from sessions where account_id = $1 order by app_name, user_id, id limit ${batch} for update`,
};

const eraseRuns: Statement = {
  text: `with ended as (
      delete from runs where account_id = $1 and session_pk = any($2::bigint[]) and ended_at is not null returning 1
    ), active as (
      delete from runs where account_id = $1 and session_pk = any($2::bigint[]) and ended_at is null returning invocation_id, session_pk, awaited
    )
    select (select count(*)::integer from ended) + (select count(*)::integer from active) as number, invocation_id, session_pk, awaited
    from (values (1)) v left join active on true`,
};
const eraseEvents = counted('delete from events where account_id = $1 and session_pk = any($2::bigint[])');
const eraseState = counted(
  `delete from state where account_id = $1 and scope = any(array(select 'session:' || pk from unnest($2::bigint[]) pk))`,
);
const eraseNonces: Statement = {
  text: 'delete from credential_requests where account_id = $1 and session_pk = any($2::bigint[])',
};
const eraseSessions: Statement = {
  text: 'delete from sessions where account_id = $1 and pk = any($2::bigint[]) and pk > 0',
};

/**
 * Erases up to fifty sessions of an account with their rows, which the database counts: a session may have millions. The sessions are locked first, so
 * concurrent appends come before or fail.
 */
export async function eraseSomeSessions(tx: Transaction, accountId: string): Promise<ErasedStep> {
  const values = [accountId, together(await tx.query<LockedSession>(lock, [accountId]))] as const;
  const runs = await tx.query<ErasedRun>(eraseRuns, values);
  const events = await numberOf(tx, eraseEvents, values);
  const state = await numberOf(tx, eraseState, values);
  await tx.query(eraseNonces, values);
  await tx.query(eraseSessions, values);
  const cancelled = runs.flatMap(({ invocation_id: invocationId, session_pk: sessionPk, awaited }) =>
    invocationId === null ? [] : [{ invocationId, sessionPk, awaited }],
  );
  return { sessions: values[1].length, events, runs: runs[0]?.number ?? 0, state, cancelled };
}

/** The first of the sessions, as many as one step erases. */
function together(sessions: readonly LockedSession[]): bigint[] {
  let events = 0;
  const chosen = sessions.filter(({ last_seq: lastSeq }, index) => {
    events += lastSeq;
    return index === 0 || events <= mostEvents;
  });
  return chosen.map(({ pk }) => pk);
}

/** A statement that deletes, and answers the number of rows instead of a row for each. */
function counted(deletion: string): Statement {
  return { text: `with gone as (${deletion} returning 1) select count(*)::integer as number from gone` };
}

async function numberOf(tx: Transaction, statement: Statement, values: readonly unknown[]): Promise<number> {
  const [row] = await tx.query<{ number: number }>(statement, values);
  return row?.number ?? 0;
}

const restOfRuns = counted('delete from runs where account_id = $1');
const restOfState = counted('delete from state where account_id = $1');
const restOfUsage: Statement = { text: 'delete from usage where account_id = $1' };
const restOfRetention: Statement = { text: 'delete from retention where account_id = $1' };
const restOfAppRetention: Statement = { text: 'delete from app_retention where account_id = $1' };
const restOfWaits: Statement = { text: 'delete from run_waits where account_id = $1' };
const restOfKeys: Statement = { text: 'delete from run_keys where account_id = $1' };

/**
 * Erases rows without a session: state of apps and users, idempotency keys, and runs of sessions that were deleted before.
 */
export async function eraseRest(tx: Transaction, accountId: string): Promise<Pick<ErasedStep, 'runs' | 'state'>> {
  const runs = await numberOf(tx, restOfRuns, [accountId]);
  const state = await numberOf(tx, restOfState, [accountId]);
  await tx.query(restOfWaits, [accountId]);
  await tx.query(restOfKeys, [accountId]);
  await tx.query(restOfUsage, [accountId]);
  await tx.query(restOfRetention, [accountId]);
  await tx.query(restOfAppRetention, [accountId]);
  return { runs, state };
}

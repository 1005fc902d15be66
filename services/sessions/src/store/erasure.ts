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

interface ErasedRun {
  readonly invocation_id: string;
  readonly session_pk: bigint;
  readonly active: boolean;
  readonly awaited: boolean;
}

const batch = 50;

const lock: Statement = {
  text: `select pk from sessions where account_id = $1 order by app_name, user_id, id limit ${batch} for update`,
};
const eraseRuns: Statement = {
  text: 'delete from runs where session_pk = any($1::bigint[]) returning invocation_id, session_pk, ended_at is null as active, awaited',
};
const eraseEvents: Statement = { text: 'delete from events where session_pk = any($1::bigint[]) returning 1' };
const eraseState: Statement = {
  text: `delete from state where account_id = $1 and scope = any(array(select 'session:' || pk from unnest($2::bigint[]) pk))
    returning 1`,
};
const eraseNonces: Statement = { text: 'delete from credential_requests where session_pk = any($1::bigint[])' };
const eraseSessions: Statement = { text: 'delete from sessions where pk = any($1::bigint[])' };

/** Erases up to fifty sessions of an account with their rows. The sessions are locked first, so concurrent appends come before or fail. */
export async function eraseSomeSessions(tx: Transaction, accountId: string): Promise<ErasedStep> {
  const pks = (await tx.query<{ pk: bigint }>(lock, [accountId])).map((row) => row.pk);
  const runs = await tx.query<ErasedRun>(eraseRuns, [pks]);
  const events = await tx.query(eraseEvents, [pks]);
  const state = await tx.query(eraseState, [accountId, pks]);
  await tx.query(eraseNonces, [pks]);
  await tx.query(eraseSessions, [pks]);
  const active = runs.filter((run) => run.active);
  const cancelled = active.map((run) => ({
    invocationId: run.invocation_id,
    sessionPk: run.session_pk,
    awaited: run.awaited,
  }));
  return { sessions: pks.length, events: events.length, runs: runs.length, state: state.length, cancelled };
}

const restOfRuns: Statement = { text: 'delete from runs where account_id = $1 returning 1' };
const restOfState: Statement = { text: 'delete from state where account_id = $1 returning 1' };
const restOfNonces: Statement = { text: 'delete from credential_requests where account_id = $1' };
const restOfUsage: Statement = { text: 'delete from usage where account_id = $1' };
const restOfRetention: Statement = { text: 'delete from retention where account_id = $1' };
const restOfAppRetention: Statement = { text: 'delete from app_retention where account_id = $1' };
const restOfKeys: Statement = { text: 'delete from run_keys where account_id = $1' };

/**
 * Erases rows without a session: state of apps and users, idempotency keys, and runs of sessions that were deleted before. Also nonces: during a rolling
 * update a replica that does not know their table may have deleted the session without them.
 */
export async function eraseRest(tx: Transaction, accountId: string): Promise<Pick<ErasedStep, 'runs' | 'state'>> {
  const runs = await tx.query(restOfRuns, [accountId]);
  const state = await tx.query(restOfState, [accountId]);
  await tx.query(restOfNonces, [accountId]);
  await tx.query(restOfKeys, [accountId]);
  await tx.query(restOfUsage, [accountId]);
  await tx.query(restOfRetention, [accountId]);
  await tx.query(restOfAppRetention, [accountId]);
  return { runs: runs.length, state: state.length };
}

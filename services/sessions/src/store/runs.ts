import type { Queryable, Statement } from '@agentmesh/lib/pg';
import { sessionNotFound } from '../errors.ts';
import type { KeyParameters } from '../session-key.ts';

/** A run that an executor may take up, or whose executor is gone. */
export interface DueRun {
  sessionPk: bigint;
  key: KeyParameters;
  invocationId: string;
  status: 'granted' | 'running';
  owner: string;
  fence: bigint;
  lastSeq: number;
  message: string | null;
  stateDelta: string | null;
  customMetadata: string | null;
  streaming: boolean;
  answeredSeq: number | undefined;
}

interface RunRow {
  session_pk: bigint;
  account_id: string;
  app_name: string;
  user_id: string;
  id: string;
  invocation_id: string;
  status: 'granted' | 'running';
  owner: string;
  fence: bigint;
  last_seq: number;
  message: string | null;
  state_delta: string | null;
  custom_metadata: string | null;
  streaming: boolean;
  answered_seq: number | null;
}

const columns = `r.session_pk, s.account_id, s.app_name, s.user_id, s.id, r.invocation_id, r.status, r.owner, s.fence, s.last_seq,
  r.message::text, r.state_delta::text, r.custom_metadata::text, r.streaming, r.answered_seq`;

const findGranted: Statement = {
  name: 'find-granted-run',
  text: `select ${columns} from sessions s join runs r on r.session_pk = s.pk
    where s.account_id = $1 and s.app_name = $2 and s.user_id = $3 and s.id = $4 and r.invocation_id = $5
      and r.status = 'granted'`,
};

const findDue: Statement = {
  name: 'find-due-runs',
  text: `select ${columns} from runs r join sessions s on s.pk = r.session_pk
    where r.ended_at is null and r.lease_until < now() order by r.lease_until limit $1`,
};

/** One granted run of a session. */
export async function findGrantedRun(
  db: Queryable,
  key: KeyParameters,
  invocationId: string,
): Promise<DueRun | undefined> {
  const [row] = await db.query<RunRow>(findGranted, [...key, invocationId]);
  return row === undefined ? undefined : toRun(row);
}

/** Runs whose lease has run out: granted ones that nobody took up, running ones whose executor is gone. */
export async function findDueRuns(db: Queryable, limit: number): Promise<DueRun[]> {
  return (await db.query<RunRow>(findDue, [limit])).map(toRun);
}

const adopt: Statement = {
  name: 'adopt-queued-runs',
  text: `update runs set owner = $3 where session_pk = $1 and owner = $2 and status = 'queued' and ended_at is null
    and not exists (select from runs held where held.owner = $2 and held.status = 'running' and held.ended_at is null
      and held.lease_until > now())`,
};

/**
 * What the owner of a due run has queued in its session goes to `heir`, who is told when the turns come: told to a process that is gone,
 * each would wait for the sweeper. An owner who holds a lease is not gone.
 */
export async function adoptQueuedRuns(db: Queryable, { sessionPk, owner }: DueRun, heir: string): Promise<void> {
  if (owner !== heir) await db.query(adopt, [sessionPk, owner, heir]);
}

const renew: Statement = {
  name: 'renew-leases',
  text: `update runs r set lease_until = now() + make_interval(secs => $1)
    from unnest($2::bigint[], $3::text[], $4::bigint[]) as l(session_pk, invocation_id, fence)
    where r.session_pk = l.session_pk and r.invocation_id = l.invocation_id and r.fence = l.fence
      and r.status = 'running' and r.owner = $5
    returning r.session_pk, r.invocation_id`,
};

export interface HeldRun {
  sessionPk: bigint;
  invocationId: string;
  fence: bigint;
}

/** Extends the leases of running attempts; those that are still held. */
export async function renewLeases(
  db: Queryable,
  owner: string,
  what: { leaseSeconds: number; runs: readonly HeldRun[] },
): Promise<Set<string>> {
  const { runs, leaseSeconds } = what;
  const values = [
    leaseSeconds,
    runs.map((run) => run.sessionPk),
    runs.map((run) => run.invocationId),
    runs.map((run) => run.fence),
    owner,
  ];
  const rows = await db.query<{ session_pk: bigint; invocation_id: string }>(renew, values);
  return new Set(rows.map((row) => `${row.session_pk}/${row.invocation_id}`));
}

const findAttempt: Statement = {
  name: 'find-attempt',
  text: `select s.pk is not null and s.turn = $2 and s.fence = $3 as holds, r.fence = $3 and r.ended_at is not null as ended,
      s.last_seq
    from runs r left join sessions s on s.pk = r.session_pk where r.session_pk = $1 and r.invocation_id = $2`,
};

export interface AttemptState {
  /** The attempt holds the turn. */
  holds: boolean | null;
  /** This very attempt has ended. */
  ended: boolean | null;
  last_seq: number | null;
}

/** Where an attempt stands; undefined when the run is unknown. */
export async function readAttempt(db: Queryable, run: HeldRun): Promise<AttemptState | undefined> {
  const [row] = await db.query<AttemptState>(findAttempt, [run.sessionPk, run.invocationId, run.fence]);
  return row;
}

const findStatus: Statement = {
  name: 'find-run-status',
  text: `select r.status from sessions s left join runs r on r.session_pk = s.pk and r.invocation_id = $5
    where s.account_id = $1 and s.app_name = $2 and s.user_id = $3 and s.id = $4`,
};

/** The status of a run, null when the session has no such run; throws when there is no such session. */
export async function readRunStatus(db: Queryable, key: KeyParameters, invocationId: string): Promise<string | null> {
  const [row] = await db.query<{ status: string | null }>(findStatus, [...key, invocationId]);
  if (row === undefined) throw sessionNotFound();
  return row.status;
}

function toRun(row: RunRow): DueRun {
  return {
    sessionPk: row.session_pk,
    key: [row.account_id, row.app_name, row.user_id, row.id],
    invocationId: row.invocation_id,
    status: row.status,
    owner: row.owner,
    fence: row.fence,
    lastSeq: row.last_seq,
    message: row.message,
    stateDelta: row.state_delta,
    customMetadata: row.custom_metadata,
    streaming: row.streaming,
    answeredSeq: row.answered_seq ?? undefined,
  };
}

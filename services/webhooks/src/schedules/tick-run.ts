import { uuidOf } from '@agentmesh/lib/idempotency';
import { isMeshError, type MeshCode } from '@agentmesh/lib/rpc';
import type { DueSchedule } from '../store/schedules.ts';
import type { Schedules } from './schedules.ts';

/** Time in milliseconds that another service has to answer. */
export const callMs = 10_000;
const longestError = 500;

/** Codes of failures that another attempt may not have. */
const transient: readonly MeshCode[] = [
  'unavailable',
  'deadline_exceeded',
  'resource_exhausted',
  'canceled',
  'aborted',
  'internal',
];

/** Names of the session of a run. */
export interface Place {
  readonly appName: string;
  readonly userId: string;
  readonly sessionId: string;
}

/** The outcome of an attempt to start the run of a tick. */
export interface Started {
  readonly invocationId: string | null;
  readonly error: string | null;
  /** Where an earlier attempt has started the run; absent: in the place that was asked for. */
  readonly place?: Place;
  /** Another attempt may not fail so. */
  readonly isTransient?: boolean;
  /** The next tick fails alike, until somebody changes something. */
  readonly isRefused?: boolean;
}

/** The session of a tick's run: that of the schedule, or one of its own. */
export function placeOf(row: DueSchedule): Place {
  const { id, app_name: appName, user_id: userId, session_id: sessionId, next_at: tick } = row;
  const own = `schedule_${id}_${tick.toISOString().replace(/\.000Z$|[-:]/g, '')}Z`;
  return { appName, userId, sessionId: sessionId ?? own };
}

/**
 * Starts the run of a tick. The key and the id of the run are made of the schedule and the tick, so there is one run, whoever acts on the tick, and how
 * often.
 */
export async function startTickRun(schedules: Schedules, row: DueSchedule): Promise<Started> {
  const session = { accountId: row.account_id, ...placeOf(row) };
  const time = row.next_at.toISOString();
  const invocationId = invocationIdOf(row);
  const asked = {
    session,
    invocationId,
    messageJson: Buffer.from(row.message),
    customMetadataJson: Buffer.from(JSON.stringify({ trigger: 'schedule', schedule_id: row.id, scheduled_at: time })),
    multitask: row.multitask,
    idempotencyKey: `schedule:${row.id}:${time}`,
    createsSession: true,
  };
  try {
    await schedules.runs.startRun(asked, { timeoutMs: callMs });
  } catch (error) {
    if (!isMeshError(error) || error.reason !== 'idempotency_key_reused') throw error;
    // An earlier attempt has started the run, and the schedule was changed since.
    const started = await findTickRun(schedules, row);
    if (started !== undefined) return { ...started, error: null };
  }
  return { invocationId, error: null };
}

/** The run of a tick that an earlier attempt has started. */
export async function findTickRun(
  { sessions }: Schedules,
  row: DueSchedule,
): Promise<{ readonly invocationId: string; readonly place: Place } | undefined> {
  const invocationId = invocationIdOf(row);
  const asked = { accountId: row.account_id, invocationId, userId: '' };
  const { run } = await sessions.getRun(asked, { timeoutMs: callMs }).catch((error: unknown) => {
    if (!isMeshError(error) || error.code !== 'not_found') throw error;
    return { run: undefined };
  });
  if (run === undefined) return undefined;
  const { appName, userId, sessionId } = run;
  return { invocationId, place: { appName, userId, sessionId } };
}

/** The outcome of an attempt that failed. */
export function failureOf({ log }: Schedules, row: DueSchedule, error: unknown): Started {
  const failure = isMeshError(error) ? error : undefined;
  if (failure === undefined) log.warn({ err: error, scheduleId: row.id }, 'the run of a schedule cannot be started');
  const message = (failure?.message ?? 'The run could not be started.').slice(0, longestError);
  const isTransient = failure === undefined || transient.includes(failure.code);
  const isRefused = !isTransient && failure.reason !== 'session_busy';
  return { invocationId: null, error: message, isTransient, isRefused };
}

/** Made of the schedule and the tick, so that a tick starts one run. */
function invocationIdOf({ id, next_at: tick }: DueSchedule): string {
  return `e-${uuidOf(String(id), tick.toISOString())}`;
}

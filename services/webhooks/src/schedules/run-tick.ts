import { isMeshError, type MeshCode } from '@agentmesh/lib/rpc';
import { type DueSchedule, postponeSchedule, updateScheduleActed, updateScheduleMissed } from '../store/schedules.ts';
import type { Schedules } from './schedules.ts';
import { readTicks, type Ticks } from './ticks.ts';

/** A tick that is later than this was missed. */
const graceMs = 60_000;
/** Ticks that are made up: at most so many in a row, and so late. */
const mostMadeUp = 100;
const latestMadeUpMs = 86_400_000;
/** Missed ticks that are counted at once. */
const mostCounted = 100;
/** Pause after an attempt that another one may follow. */
const retryMs = 5_000;
const callMs = 10_000;
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

/** Acts on the tick of a claimed schedule: starts its run, or counts it as missed. */
export async function runTick(schedules: Schedules, row: DueSchedule): Promise<void> {
  const ticks = readTicks(row.cron, row.timezone);
  const now = schedules.clock.now().getTime();
  const isMadeUp = row.catch_up && row.made_up < mostMadeUp;
  const patienceMs = isMadeUp ? latestMadeUpMs : graceMs;
  const earliest = new Date(now - patienceMs);
  if (row.next_at < earliest) return miss(schedules, row, { ticks, earliest });
  await start(schedules, row, { ticks, patienceMs });
}

/** Counts the ticks before a time as missed. */
async function miss(
  { db, countTicks }: Schedules,
  row: DueSchedule,
  { ticks, earliest }: { readonly ticks: Ticks; readonly earliest: Date },
): Promise<void> {
  const { account_id: accountId, id, next_at: tick } = row;
  const missed = [tick, ...ticks.following(tick, mostCounted - 1)].filter((time) => time < earliest);
  const nextAt = ticks.after(new Date(earliest.getTime() - 1)) ?? null;
  const lastMissedAt = missed.at(-1) ?? tick;
  await updateScheduleMissed(db, { accountId, id, tick, nextAt, number: missed.length, lastMissedAt });
  countTicks('missed', missed.length);
}

async function start(
  schedules: Schedules,
  row: DueSchedule,
  { ticks, patienceMs }: { readonly ticks: Ticks; readonly patienceMs: number },
): Promise<void> {
  const { db, clock, countTicks } = schedules;
  const now = clock.now().getTime();
  const { account_id: accountId, id, next_at: tick } = row;
  const sessionId = row.session_id ?? `schedule_${id}_${tick.toISOString().replace(/\.000Z$|[-:]/g, '')}Z`;
  const {
    invocationId,
    error,
    isTransient = false,
  } = await startRun(schedules, row, sessionId).catch((error: unknown) => failureOf(schedules, row, error));
  const retryAt = now + retryMs;
  if (isTransient && retryAt <= tick.getTime() + patienceMs) {
    await postponeSchedule(db, { accountId, id, tick, until: new Date(retryAt) });
    return;
  }
  const isLate = tick.getTime() < now - graceMs;
  const acted = { accountId, id, tick, nextAt: ticks.after(tick) ?? null, sessionId, invocationId, error };
  await updateScheduleActed(db, { ...acted, madeUp: isLate ? row.made_up + 1 : 0 });
  countTicks(error === null ? 'started' : 'failed', 1);
}

interface Started {
  readonly invocationId: string | null;
  readonly error: string | null;
  /** Another attempt may not fail so. */
  readonly isTransient?: boolean;
}

/** Starts the run of a tick. The key is made of the schedule and the tick, so there is one run, whoever acts on the tick, and how often. */
async function startRun({ runs, sessions }: Schedules, row: DueSchedule, sessionId: string): Promise<Started> {
  const { account_id: accountId, app_name: appName, user_id: userId } = row;
  const session = { accountId, appName, userId, sessionId };
  await sessions.createSession({ session }, { timeoutMs: callMs }).catch((error: unknown) => {
    if (!isMeshError(error) || error.code !== 'already_exists') throw error;
  });
  const time = row.next_at.toISOString();
  const { invocationId } = await runs.startRun(
    {
      session,
      messageJson: Buffer.from(row.message),
      customMetadataJson: Buffer.from(JSON.stringify({ trigger: 'schedule', schedule_id: row.id, scheduled_at: time })),
      multitask: row.multitask,
      idempotencyKey: `schedule:${row.id}:${time}`,
    },
    { timeoutMs: callMs },
  );
  return { invocationId, error: null };
}

function failureOf({ log }: Schedules, row: DueSchedule, error: unknown): Started {
  const failure = isMeshError(error) ? error : undefined;
  if (failure === undefined) log.warn({ err: error, scheduleId: row.id }, 'the run of a schedule cannot be started');
  const message = (failure?.message ?? 'The run could not be started.').slice(0, longestError);
  return { invocationId: null, error: message, isTransient: failure === undefined || transient.includes(failure.code) };
}

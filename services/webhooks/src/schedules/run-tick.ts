import {
  type DueSchedule,
  postponeSchedule,
  type ScheduleActed,
  updateScheduleActed,
  updateScheduleMissed,
} from '../store/schedules.ts';
import type { Schedules } from './schedules.ts';
import { failureOf, findTickRun, type Place, placeOf, startTickRun } from './tick-run.ts';
import { tellPaused } from './tell-paused.ts';
import { readTicks, type Ticks } from './ticks.ts';

/** A tick that is later than this was missed. */
const graceMs = 60_000;
/** Ticks that are made up: at most so many in a row, and so late. */
const mostMadeUp = 100;
const latestMadeUpMs = 86_400_000;
const hourMs = 3_600_000;
/** Missed ticks that are counted at once. */
const mostCounted = 100;
/** A schedule whose runs are refused so many times in a row pauses. */
const mostRefused = 10;
/** Pause after an attempt that another one may follow. */
const retryMs = 5_000;

/** Acts on the tick of a claimed schedule: starts its run, or counts it as missed. */
export async function runTick(schedules: Schedules, row: DueSchedule): Promise<void> {
  const ticks = readTicks(row.cron, row.timezone);
  if (row.is_over) return waitForHour(schedules, row, ticks);
  const now = schedules.clock.now().getTime();
  const isMadeUp = row.catch_up && row.made_up < mostMadeUp;
  const patienceMs = isMadeUp ? latestMadeUpMs : graceMs;
  const earliest = new Date(now - patienceMs);
  if (row.next_at < earliest) return miss(schedules, row, { ticks, earliest });
  await start(schedules, row, { ticks, patienceMs });
}

/** The account has started enough runs for this hour. The schedule goes on with the first tick of the next one. */
async function waitForHour(schedules: Schedules, row: DueSchedule, ticks: Ticks): Promise<void> {
  const { clock, runsPerHour } = schedules;
  const hourEnds = (Math.floor(clock.now().getTime() / hourMs) + 1) * hourMs;
  const error = `The schedules of the account have started ${runsPerHour} runs in this hour. They go on in the next one.`;
  const later = { after: () => ticks.after(new Date(hourEnds - 1)) };
  const { refused } = row;
  await write(schedules, row, { invocationId: null, error, ticks: later, refused });
}

/** Counts the ticks before a time as missed. A tick whose run was started by a process that died before it could write that was not missed. */
async function miss(
  schedules: Schedules,
  row: DueSchedule,
  { ticks, earliest }: { readonly ticks: Ticks; readonly earliest: Date },
): Promise<void> {
  const { db, countTicks } = schedules;
  const started = await findTickRun(schedules, row);
  if (started !== undefined) return write(schedules, row, { ...started, error: null, ticks, refused: 0 });
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
  const { db, clock } = schedules;
  const now = clock.now().getTime();
  const { account_id: accountId, id, next_at: tick } = row;
  const started = startTickRun(schedules, row);
  const { isTransient, isRefused, ...outcome } = await started.catch((error: unknown) =>
    failureOf(schedules, row, error),
  );
  const retryAt = now + retryMs;
  if (isTransient && retryAt <= tick.getTime() + patienceMs) {
    await postponeSchedule(db, { accountId, id, tick, until: new Date(retryAt) });
    return;
  }
  const refused = outcome.error === null ? 0 : row.refused + (isRefused ? 1 : 0);
  await write(schedules, row, { ...outcome, ticks, refused });
}

interface Outcome {
  readonly invocationId: string | null;
  /** Default: that of the schedule. */
  readonly place?: Place;
  readonly error: string | null;
  readonly ticks: Pick<Ticks, 'after'>;
  /** Ticks in a row whose runs were refused, with this one. */
  readonly refused: number;
}

/** Writes what became of the tick. The schedule pauses when its runs are refused again and again. */
async function write(schedules: Schedules, row: DueSchedule, { ticks, place, ...outcome }: Outcome): Promise<void> {
  const { db, clock, countTicks } = schedules;
  const { account_id: accountId, id, next_at: tick } = row;
  const isLate = tick.getTime() < clock.now().getTime() - graceMs;
  const pauses = outcome.refused >= mostRefused;
  const nextAt = ticks.after(tick) ?? null;
  const acted = {
    accountId,
    id,
    tick,
    nextAt,
    pauses,
    refusedBefore: row.refused,
    ...outcome,
    ...(place ?? placeOf(row)),
  };
  const written = { ...acted, madeUp: isLate ? row.made_up + 1 : 0 };
  if (pauses) await pause(schedules, written);
  else await updateScheduleActed(db, written);
  countTicks(outcome.error === null ? 'started' : 'failed', 1);
}

/** Pauses the schedule unless its owner has changed it since the tick was claimed: a change begins the count of refused runs anew. The owner is told of a pause. */
async function pause({ db, jobs }: Schedules, acted: ScheduleActed): Promise<void> {
  await db.transaction(async (tx) => {
    const [written] = await updateScheduleActed(tx, acted);
    const { accountId, id } = acted;
    if (written?.is_paused === true) await jobs.add(tx, tellPaused, [{ payload: { accountId, id } }]);
  });
}

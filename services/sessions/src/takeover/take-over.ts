import { maxAnswerBytes } from '../store/events/window-bytes.ts';
import { type DeadRun, selectTurnBytes } from '../store/ledger/dead-runs.ts';
import { isSizeError } from '../store/sizes.ts';
import type { StartedTurn } from '../store/turns/turn-outcome.ts';
import { takeDeadTurn } from '../store/turns/turns.ts';
import { usageOfDead } from '../turns/run-usage.ts';
import { type Attempt, type BoundedStart, startOf, toTurn } from '../turns/turn.ts';
import { untilCurrent } from '../until-current.ts';
import { endingOfDead } from './end-dead-runs.ts';
import { endWith, refusal } from './end-run.ts';
import { attemptOf, type Look, type TurnInit } from './heir.ts';
import { bytesOfTurn, roomBeside } from './room-beside.ts';
import { unlessFails } from './unless-fails.ts';

/** Most runs that one call takes over, as far as their turns fit into one answer. */
const mostTakenOver = 16;

/** Goes on with runs whose executor is gone, until the answer is full. */
export async function takeOverRuns(look: Look, runs: readonly DeadRun[]): Promise<void> {
  const { heir } = look;
  const left = [...runs];
  while (left.length > 0 && heir.turns.length < mostTakenOver && !heir.late.aborted) {
    const some = left.splice(0, mostTakenOver - heir.turns.length);
    const { small, large } = await bySize(look, some);
    await takeTogether(look, small);
    for (const run of large) if (!heir.late.aborted && !(await takeAlone(look, run))) return;
  }
}

/**
 * `small`: runs whose turns fit into the answer together, by their sizes a moment ago. They get half of its room, because state and sessions may grow
 * before the turns are taken.
 */
async function bySize({ context, heir }: Look, runs: readonly DeadRun[]) {
  const sizes = await selectTurnBytes(context.db, runs);
  let room = Math.min(roomBeside(heir.turns), maxAnswerBytes) / 2;
  const small: DeadRun[] = [];
  const large: DeadRun[] = [];
  for (const run of runs) {
    const bytes = sizes.get(run.sessionPk) ?? 0;
    if (bytes > room) large.push(run);
    else {
      room -= bytes;
      small.push(run);
    }
  }
  return { small, large };
}

/** Takes runs in one transaction of the group commit. */
async function takeTogether(look: Look, runs: readonly DeadRun[]): Promise<void> {
  const attempts = await Promise.allSettled(
    runs.map((run) => unlessFails(look.context, run, () => take(look, run, Infinity))),
  );
  const done = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
  await handOver(look, done.filter(isTaken));
  for (const attempt of attempts) if (attempt.status === 'rejected') throw attempt.reason;
}

/** False when there may be no room for the turn of the run: then it is left to another call. */
async function takeAlone(look: Look, run: DeadRun): Promise<boolean> {
  const taken = await unlessFails(look.context, run, () => take(look, run, roomBeside(look.heir.turns)));
  await handOver(look, [taken].filter(isTaken));
  return taken !== 'full';
}

interface Taken {
  readonly run: DeadRun;
  readonly attempt: Attempt;
  readonly start: BoundedStart;
  readonly turn: StartedTurn;
}

function isTaken(taken: Taken | 'full' | undefined): taken is Taken {
  return typeof taken === 'object';
}

/**
 * Gives a run to the heir. `full`: its turn may have more than `room` bytes. Undefined when another was faster, or when the run is too large to go on: then
 * it is ended.
 */
async function take({ context, heir, adopt }: Look, run: DeadRun, room: number): Promise<Taken | 'full' | undefined> {
  // The window reaches back to the beginning of the run.
  const attempt = { ...attemptOf(run, heir), answeredSeq: run.firstSeq ?? run.answeredSeq };
  try {
    const start = startOf(attempt, context);
    if (start.maxBytes > room) return 'full';
    await adopt(run);
    const turn = await untilCurrent(() => takeDeadTurn(context.db, start));
    return turn === 'gone' ? undefined : { run, attempt, start, turn };
  } catch (error) {
    if (!isSizeError(error)) throw error;
    await endWith(context, run, { ...(await endingOfDead(context, run)), ...refusal(error) });
    return undefined;
  }
}

/** Puts the turns of runs that were taken into the answer. */
async function handOver(look: Look, taken: readonly Taken[]): Promise<void> {
  const { context, heir } = look;
  const { turns } = heir;
  const used = await usageOfDead(
    context.db,
    taken.map(({ run }) => run),
  );
  const toAnswer = ({ run, attempt, start, turn }: Taken): Promise<TurnInit> =>
    toTurn(context, attempt, { start, turn, used: used(run), deaths: run.deaths });
  const made = taken.map((one) => unlessFails(context, one.run, () => toAnswer(one)));
  for (const turn of await Promise.all(made)) {
    const { invocationId } = turn ?? {};
    // It may have grown since its size was read.
    if (turn === undefined || bytesOfTurn(turn) > roomBeside(turns)) {
      heir.isIncomplete = true;
      continue;
    }
    turns.push(turn);
    context.takenOver.inc();
    context.log.warn({ invocationId }, 'a run whose executor had stopped goes on with another');
  }
}

import { unlessAborted } from '@agentmesh/lib/wait';
import type { Context } from '../context.ts';
import { bytesOf } from '../json-bytes.ts';
import type { DeadRun } from '../store/ledger/dead-runs.ts';
import type { DueRun } from '../store/runs.ts';
import { type AttemptEnding, withoutRewind } from '../turns/attempt.ts';
import { endingOf } from '../turns/closing-event.ts';
import { usageOfDead, type UsageBefore } from '../turns/run-usage.ts';
import { endWith } from './end-run.ts';
import type { Heir, Look } from './heir.ts';
import { unlessFails } from './unless-fails.ts';

/** Ends in flight together: as many as one transaction of the group commit has. */
const together = 64;
/** The same for ends that rewind, which may ask the artifacts service. */
const rewoundTogether = 16;

/**
 * Ends runs whose executor is gone, and answers how many. It does not wait for the last ones when the answer is late: they go on behind it, because
 * the turns of the answer may not be lost over them.
 */
export async function endDeadRuns(look: Look, runs: readonly DeadRun[]): Promise<number> {
  const { heir } = look;
  const [rewinding, ending] = [runs.filter(rewinds), runs.filter((run) => !rewinds(run))];
  let ended = 0;
  for (let from = 0; from < ending.length && !heir.late.aborted; from += together) {
    const some = ending.slice(from, from + together);
    ended += await unlessLate(heir, endTogether(look, some));
  }
  return ended + (await rewindAll(look, rewinding));
}

/** When none of those in flight together can be rewound now, the others are left to the next look. */
async function rewindAll(look: Look, runs: readonly DeadRun[]): Promise<number> {
  const { heir } = look;
  let ended = 0;
  for (let from = 0; from < runs.length && !heir.late.aborted; from += rewoundTogether) {
    const some = runs.slice(from, from + rewoundTogether).map((run) => endRewinding(look, run));
    const done = await unlessLate(heir, Promise.all(some).then(countTrue));
    if (done === 0) break;
    ended += done;
  }
  return ended;
}

/** Whether the end of a dead run rewinds its turn. */
export function rewinds(run: DueRun): boolean {
  return endingOf(run).rewinds === true;
}

async function unlessLate({ late }: Heir, end: Promise<number>): Promise<number> {
  return unlessAborted(end, late).catch((error: unknown) => {
    if (!late.aborted) throw error;
    return 0;
  });
}

/** Their statements meet in the group commit: a transaction for all of them instead of one for each. */
async function endTogether({ heir: { service }, adopt }: Look, runs: readonly DeadRun[]): Promise<number> {
  const used = await usageOfDead(service.db, runs);
  const end = async (run: DeadRun): Promise<boolean> => {
    await adopt(run);
    return endDead(service, run, used(run));
  };
  return countTrue(await Promise.all(runs.map((run) => unlessFails(service, run, () => end(run)))));
}

function countTrue(results: readonly (boolean | undefined)[]): number {
  return results.filter((result) => result === true).length;
}

/** Ends a run whose turn is rewound. While that cannot be done, the run is tried again, for a minute: then it ends without. Never rejects. */
async function endRewinding({ heir: { service: context }, adopt }: Look, run: DeadRun): Promise<boolean> {
  try {
    await adopt(run);
    const ending = await endingOfDead(context, run);
    return await endWith(context, run, ending).catch((error: unknown) => {
      if (!run.isAbandoned) throw error;
      return endWith(context, run, withoutRewind(ending));
    });
  } catch (err) {
    context.log.warn({ err, invocationId: run.invocationId }, 'the turn of a run could not be rewound yet');
    return false;
  }
}

/** The end of a run whose executor is gone, with what its executors have used. */
export async function endingOfDead({ db }: Context, run: DueRun): Promise<AttemptEnding> {
  return endingWith(run, (await usageOfDead(db, [run]))(run));
}

function endingWith(run: DueRun, { unreported }: UsageBefore): AttemptEnding {
  const isNothing = Object.keys(unreported).length === 0;
  return { ...endingOf(run), ...(!isNothing && { usageJson: bytesOf(JSON.stringify(unreported)) }) };
}

async function endDead(context: Context, run: DueRun, used: UsageBefore): Promise<boolean> {
  const ending = endingWith(run, used);
  const isEnded = await endWith(context, run, ending);
  const { invocationId } = run;
  if (isEnded) {
    context.log.warn({ invocationId, errorCode: ending.errorCode }, 'a run whose executor had stopped has been ended');
  }
  return isEnded;
}

import type { HandlerContext } from '@connectrpc/connect';
import type { Context } from '../../context.ts';
import { type CheckedKey, checkSessionKey } from '../../session-key.ts';
import { findAliveOwners } from '../../store/replicas/executors.ts';
import { statusOf } from '../../store/ledger/ledger-run.ts';
import {
  adoptQueuedRuns,
  type DueRun,
  findDueRuns,
  findGrantedRun,
  isAnyRunDue,
  selectRunStatus,
} from '../../store/runs.ts';
import { isSizeError } from '../../store/sizes.ts';
import { type GrantedMessages, takeGrantedTurn } from '../../store/turns/turns.ts';
import { endWith, refusal } from '../../takeover/end-run.ts';
import { attemptOf, type Claimant, type Heir, type TurnInit } from '../../takeover/heir.ts';
import { roomBeside } from '../../takeover/room-beside.ts';
import { settleDeadRuns } from '../../takeover/settle-dead-runs.ts';
import { unlessFails } from '../../takeover/unless-fails.ts';
import { answersAll, answersIn } from '../../turns/awaited-answer.ts';
import { type Attempt, type BoundedStart, startOf, toTurn } from '../../turns/turn.ts';
import { untilCurrent } from '../../until-current.ts';
import type { Handlers } from '../handlers.ts';

/** Time in milliseconds that is left for the answer, so that the turns that were taken reach the caller. */
const answerMs = 2_000;

/** Gives granted runs, and runs whose executor is gone, to an executor. */
export function claimRuns(service: Context): Handlers['claimRuns'] {
  return async ({ owner, window, session, invocationId, limit, apps, takesOver }, call) => {
    const context = { ...service, db: service.db.within(call) };
    const claimant = { owner, window };
    await service.executors.meet(service.db, owner);
    if (session !== undefined) return claimNamed(context, { key: checkSessionKey(session), invocationId }, claimant);
    const heir: Heir = {
      ...claimant,
      apps,
      takesOver,
      limit,
      turns: [],
      isIncomplete: false,
      late: lateFor(call),
      service,
    };
    await claimAny(context, heir).catch((err: unknown) => {
      if (heir.turns.length === 0) throw err;
      heir.isIncomplete = true;
      context.log.warn({ err }, 'a look for runs without an executor was cut short');
    });
    return { turns: heir.turns, isIncomplete: heir.isIncomplete };
  };
}

/** Aborts when the caller has left, and when it has to be answered so that the turns that were taken reach it. */
function lateFor(call: HandlerContext): AbortSignal {
  const leftMs = call.timeoutMs();
  if (leftMs === undefined) return call.signal;
  return AbortSignal.any([call.signal, AbortSignal.timeout(Math.max(0, leftMs - answerMs))]);
}

/** Takes up runs of any session. Some may be among the turns already when it rejects. */
async function claimAny(context: Context, heir: Heir): Promise<void> {
  if (!(await isAnyRunDue(context.db))) return;
  await settleDeadRuns(context, heir);
  if (heir.turns.length < heir.limit && !heir.late.aborted) await claimDue(context, heir);
}

/** Takes up due runs, behind the other turns, as long as the next one is sure to fit into the answer. The others stay due. */
async function claimDue(context: Context, heir: Heir): Promise<void> {
  const { owner, apps, limit, turns, late } = heir;
  const due = await findDueRuns(context.db, apps, limit - turns.length);
  const alive = await findAliveOwners(context.db, due);
  for (const run of due) {
    if (late.aborted) break;
    const ready = await unlessFails(context, run, () => makeReady(context, run, heir));
    if (ready === undefined) continue;
    if (ready.start.maxBytes > roomBeside(turns)) break;
    if (context.outages.isCalm) await adoptQueuedRuns(context.db, run, { heir: owner, alive });
    const turn = await unlessFails(context, run, () =>
      takeUp(context, run, ready).catch((error: unknown) => {
        heir.isIncomplete = true;
        throw error;
      }),
    );
    if (turn !== undefined) turns.push(turn);
  }
}

interface RunName {
  readonly key: CheckedKey;
  readonly invocationId: string;
}

/** Starts one run if it has its turn. Otherwise answers its status. */
async function claimNamed(context: Context, { key, invocationId }: RunName, claimant: Claimant) {
  const run = await findGrantedRun(context.db, key, invocationId);
  const ready = run && (await makeReady(context, run, claimant));
  const turn = run && ready && (await takeUp(context, run, ready));
  if (turn !== undefined) return { turns: [turn] };
  const status = await selectRunStatus(context.db, key, invocationId);
  return { status: statusOf(status ?? 'cancelled') };
}

/** A granted run that can be handed to its executor. */
interface Ready {
  readonly attempt: Attempt;
  readonly start: BoundedStart;
  readonly messages: GrantedMessages;
}

/** Undefined when the run is too large to be handed over, for example because the limits have changed while it waited: then it is ended. */
async function makeReady(context: Context, run: DueRun, claimant: Claimant): Promise<Ready | undefined> {
  const { message, waitingFor } = run;
  const takesAdded = waitingFor === null || answersAll(waitingFor, answersIn(message));
  const added = takesAdded ? run.added : null;
  const attempt = { ...attemptOf(run, claimant), added };
  try {
    return { attempt, start: startOf(attempt, context), messages: { message, takesAdded, added } };
  } catch (error) {
    if (!isSizeError(error)) throw error;
    await endWith(context, run, refusal(error));
    return undefined;
  }
}

/** Starts a granted run; undefined when another was faster, or when the run cannot start. */
async function takeUp(
  context: Context,
  run: DueRun,
  { attempt, start, messages }: Ready,
): Promise<TurnInit | undefined> {
  const turn = await untilCurrent(() => takeGrantedTurn(context.db, start, messages)).catch(async (error: unknown) => {
    if (!isSizeError(error)) throw error;
    await endWith(context, run, refusal(error));
    return 'gone' as const;
  });
  return turn === 'gone' ? undefined : toTurn(context, attempt, { start, turn });
}

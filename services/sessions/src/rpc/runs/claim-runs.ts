import { isMeshError, type MeshError } from '@agentmesh/lib/rpc';
import { unlessAborted } from '@agentmesh/lib/wait';
import { AttemptEnd_Outcome, type TurnSchema } from '@agentmesh/proto/sessions/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { HandlerContext } from '@connectrpc/connect';
import type { Context } from '../../context.ts';
import { contended } from '../../errors.ts';
import { bytesOf } from '../../json-bytes.ts';
import { type CheckedKey, checkSessionKey } from '../../session-key.ts';
import { parseDelta } from '../../state-delta.ts';
import { statusOf } from '../../store/ledger/ledger-run.ts';
import {
  adoptQueuedRuns,
  type DueRun,
  findAliveOwners,
  findDeadRuns,
  findDueRuns,
  findGrantedRun,
  selectRunStatus,
} from '../../store/runs.ts';
import { isSizeError } from '../../store/sizes.ts';
import { nothingKnown } from '../../store/turns/turn-values.ts';
import { type GrantedMessages, takeDeadTurn, takeGrantedTurn } from '../../store/turns/turns.ts';
import { type AttemptEnding, endAttempt, withoutRewind } from '../../turns/attempt.ts';
import { answersAll, answersIn } from '../../turns/awaited-answer.ts';
import { closingEvent, endingOf } from '../../turns/closing-event.ts';
import { roomBeside } from '../../turns/room-beside.ts';
import { usageBefore } from '../../turns/run-usage.ts';
import { type Attempt, type BoundedStart, startOf, toTurn } from '../../turns/turn.ts';
import { beginningAnywhere } from '../../turns/beginning-anywhere.ts';
import { untilCurrent } from '../../until-current.ts';
import type { Handlers } from '../handlers.ts';

type TurnInit = MessageInitShape<typeof TurnSchema>;

interface Claimant {
  owner: string;
  window: number;
}

/** Time in milliseconds that is left for the answer, so that the turns that were taken reach the caller. */
const answerMs = 2_000;
/** Most runs without an executor that one call looks at. */
const mostEnded = 256;
/** Most of them whose turns one call rewinds. */
const mostRewound = 16;
/** Most of them that one call takes over, as far as their turns fit into one answer. */
const mostTakenOver = 16;

/** Gives granted runs, and runs whose executor is gone, to an executor. */
export function claimRuns(service: Context): Handlers['claimRuns'] {
  return async ({ owner, window, session, invocationId, limit, apps, takesOver }, call) => {
    const context = { ...service, db: service.db.within(call) };
    const claimant = { owner, window };
    if (session !== undefined) return claimNamed(context, { key: checkSessionKey(session), invocationId }, claimant);
    const heir: Heir = { apps, takesOver, limit, turns: [], late: lateFor(call), service };
    await claimAny(context, heir, claimant).catch((err: unknown) => {
      if (heir.turns.length === 0) throw err;
      context.log.warn({ err }, 'a look for runs without an executor was cut short');
    });
    return { turns: heir.turns };
  };
}

/** Aborts when the caller has left, and when it has to be answered so that the turns that were taken reach it. */
function lateFor(call: HandlerContext): AbortSignal {
  const leftMs = call.timeoutMs();
  if (leftMs === undefined) return call.signal;
  return AbortSignal.any([call.signal, AbortSignal.timeout(Math.max(0, leftMs - answerMs))]);
}

/** Takes up runs of any session. Some may be among the turns already when it rejects. */
async function claimAny(context: Context, heir: Heir, claimant: Claimant): Promise<void> {
  await settleDeadRuns(context, heir, claimant);
  if (heir.turns.length < heir.limit && !heir.late.aborted) await claimDue(context, heir, claimant);
}

/** Takes up due runs, behind the other turns, as long as the next one is sure to fit into the answer. The others stay due. */
async function claimDue(context: Context, { apps, limit, turns, late }: Heir, claimant: Claimant): Promise<void> {
  const due = await findDueRuns(context.db, apps, limit - turns.length);
  const alive = await findAliveOwners(context.db, due);
  for (const run of due) {
    if (late.aborted) break;
    const ready = await unlessFails(context, run, () => makeReady(context, run, claimant));
    if (ready === undefined) continue;
    if (ready.start.maxBytes > roomBeside(turns)) break;
    if (context.outages.isCalm) await adoptQueuedRuns(context.db, run, { heir: claimant.owner, alive });
    const turn = await unlessFails(context, run, () => takeUp(context, run, ready));
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

interface Heir {
  readonly apps: readonly string[];
  readonly takesOver: boolean;
  /** Most turns that it starts, besides those that it takes over. */
  readonly limit: number;
  /** The turns of the answer so far. */
  readonly turns: TurnInit[];
  /** Aborts when no further turn can be handed over. */
  readonly late: AbortSignal;
  /** For the ends of dead runs, which are stored also when the caller has left: what one of them reads may take longer than any caller waits. */
  readonly service: Context;
}

/** Takes over runs whose executor is gone, and ends those that nobody may take over: these hold up their sessions, whatever the caller may start. */
async function settleDeadRuns(context: Context, heir: Heir, claimant: Claimant): Promise<void> {
  const { turns, service } = heir;
  const dead = await findDeadRuns(context.db, mostEnded);
  // Their owners may be alive and about to renew their leases. Asked after the statement, which may itself have waited for an outage to end.
  if (!context.outages.isCalm) return;
  const alive = await findAliveOwners(context.db, dead);
  const rewinding: DueRun[] = [];
  for (const run of beginningAnywhere(dead)) {
    if (heir.late.aborted) break;
    const isServed = serves(heir.apps, run.key.appName);
    const rewinds = endingOf(run).rewinds === true;
    const goesOn = !rewinds && run.status === 'running' && !run.isAbandoned && heir.takesOver;
    // Those that are left to other calls cost this one no statement.
    if (goesOn && (!isServed || turns.length >= mostTakenOver)) continue;
    if (isServed) await adoptQueuedRuns(context.db, run, { heir: claimant.owner, alive });
    if (rewinds) rewinding.push(run);
    else if (!goesOn)
      await unlessLate(
        heir,
        unlessFails(context, run, () => endDead(service, run)),
      );
    else {
      const dead = { attempt: attemptOf(run, claimant), room: roomBeside(turns) };
      const turn = await unlessFails(context, run, () => takeOver(context, run, dead));
      if (turn !== undefined) turns.push(turn);
    }
  }
  await unlessLate(heir, Promise.all(rewinding.slice(0, mostRewound).map((run) => endRewinding(service, run))));
}

/** Waits for the end of dead runs, which goes on behind the answer: the turns of the answer may not be lost over it. */
async function unlessLate({ late }: Heir, end: Promise<unknown>): Promise<void> {
  await unlessAborted(end, late).catch((error: unknown) => {
    if (!late.aborted) throw error;
  });
}

/** Errors of a call that can do nothing more: the database is away, or the caller has left. */
const callEnding = new Set<string>(['unavailable', 'deadline_exceeded', 'canceled']);

/** Does what one run needs. When that fails, the run is left to the next call and holds up no other. */
async function unlessFails<T>(context: Context, run: DueRun, work: () => Promise<T>): Promise<T | undefined> {
  return work().catch((err: unknown) => {
    if (isMeshError(err) && callEnding.has(err.code) && err.reason !== contended().reason) throw err;
    const { invocationId } = run;
    context.log.error({ err, invocationId }, 'a run without an executor could be neither continued nor ended');
    return undefined;
  });
}

/** Ends a run whose turn is rewound. While that cannot be done, the run is tried again, for a minute: then it ends without. Never rejects. */
async function endRewinding(context: Context, run: DueRun): Promise<void> {
  try {
    const ending = await endingOfDead(context, run);
    await endWith(context, run, ending).catch((error: unknown) => {
      if (!run.isAbandoned) throw error;
      return endWith(context, run, withoutRewind(ending));
    });
  } catch (err) {
    context.log.warn({ err, invocationId: run.invocationId }, 'the turn of a run could not be rewound yet');
  }
}

interface DeadAttempt {
  readonly attempt: Attempt;
  /** Bytes that its turn may have. */
  readonly room: number;
}

/** Goes on with a run whose executor is gone; undefined when another was faster, when there is no room, or when the run is too large to go on. */
async function takeOver(context: Context, run: DueRun, dead: DeadAttempt): Promise<TurnInit | undefined> {
  // The window reaches back to the beginning of the run.
  const attempt = { ...dead.attempt, answeredSeq: run.firstSeq ?? run.answeredSeq };
  const taken = await takeDead(context, { attempt, room: dead.room }).catch(async (error: unknown) => {
    if (!isSizeError(error)) throw error;
    await endWith(context, run, { ...(await endingOfDead(context, run)), ...refusal(error) });
  });
  if (taken === undefined) return undefined;
  context.log.warn({ invocationId: run.invocationId }, 'a run whose executor had stopped goes on with another');
  return toTurn(context, attempt, { ...taken, isTakeover: true });
}

async function takeDead(context: Context, { attempt, room }: DeadAttempt) {
  const start = startOf(attempt, context);
  if (start.maxBytes > room) return undefined;
  const turn = await untilCurrent(() => takeDeadTurn(context.db, start));
  return turn === 'gone' ? undefined : { start, turn };
}

/** See ClaimRunsRequest.apps. */
function serves(apps: readonly string[], appName: string): boolean {
  return apps.length === 0 || apps.includes(appName) || (apps.includes('agent*') && /^agent\d+$/.test(appName));
}

function attemptOf(run: DueRun, claimant: Claimant): Attempt {
  return {
    ...claimant,
    known: nothingKnown,
    key: run.key,
    invocationId: run.invocationId,
    message: run.message ?? undefined,
    stateDelta: parseDelta(Buffer.from(run.stateDelta ?? '')),
    customMetadata: run.customMetadata ?? undefined,
    streaming: run.streaming,
    isBound: run.isBound,
    answeredSeq: run.answeredSeq,
  };
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

/** The end of a run that cannot start, or go on, because it, its state or its session has become too large. */
function refusal({ reason, message }: MeshError): AttemptEnding {
  return { outcome: AttemptEnd_Outcome.FAILED, errorCode: reason.toUpperCase(), errorMessage: message };
}

/** The end of a run whose executor is gone, with what its executors have used. */
async function endingOfDead({ db }: Context, run: DueRun): Promise<AttemptEnding> {
  const { unreported } = await usageBefore(db, run, true);
  const isNothing = Object.keys(unreported).length === 0;
  return { ...endingOf(run), ...(!isNothing && { usageJson: bytesOf(JSON.stringify(unreported)) }) };
}

/** Ends a run whose executor is gone. */
async function endDead(context: Context, run: DueRun): Promise<void> {
  const ending = await endingOfDead(context, run);
  await endWith(context, run, ending);
  const { invocationId } = run;
  context.log.warn({ invocationId, errorCode: ending.errorCode }, 'a run whose executor had stopped has been ended');
}

async function endWith(context: Context, run: DueRun, ending: AttemptEnding): Promise<void> {
  const { accountId, appName } = run.key;
  const { sessionPk, invocationId, fence, lastSeq } = run;
  const events = [closingEvent({ author: appName, invocationId }, ending)];
  const end = { accountId, sessionPk, invocationId, fence, lastSeq, events, changes: [], limits: context.limits };
  await endAttempt(context, end, ending);
}

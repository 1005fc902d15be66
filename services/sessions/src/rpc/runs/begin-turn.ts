import { randomUUID } from 'node:crypto';
import { type BeginTurnRequest, type BeginTurnResponseSchema, Multitask } from '@agentmesh/proto/sessions/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Context } from '../../context.ts';
import { checkBytes } from '../../account-usage.ts';
import {
  appStateForbidden,
  callNotFound,
  invalid,
  invocationNotFound,
  nothingToResume,
  rewindsTooMany,
  runInProgress,
  sessionBusy,
  sessionNotFound,
} from '../../errors.ts';
import { mostRewinds, readView } from '../../view/view.ts';
import { optionalText } from '../../json-bytes.ts';
import { type CheckedKey, canExist, checkNewSessionKey, checkSessionKey } from '../../session-key.ts';
import { isOfApp, parseDelta, toChanges } from '../../state-delta.ts';
import { findFunctionCall } from '../../store/events/events.ts';
import { selectHistory } from '../../store/histories.ts';
import type { RunKey } from '../../store/ledger/run-keys.ts';
import { findAttempt, type HeldRun, selectRunStatus } from '../../store/runs.ts';
import { checkChanges } from '../../store/sizes.ts';
import { acceptInterrupting } from '../../store/turns/interrupts.ts';
import type { TurnOutcome } from '../../store/turns/turn-outcome.ts';
import { acceptTurn, takeFreeTurn } from '../../store/turns/turns.ts';
import { nothingKnown, type RunRequest, type TurnStart } from '../../store/turns/turn-values.ts';
import { endAttempt } from '../../turns/attempt.ts';
import { type Answer, type Awaited, waitingSince } from '../../turns/awaited-answer.ts';
import { stoppedEnding } from '../../turns/closing-event.ts';
import { isInvocationId, maxInvocationIdLength } from '../../turns/invocation-id.ts';
import { onceForKey, toRunKey } from '../../turns/run-key.ts';
import { hintCancel } from '../../turns/hint-cancel.ts';
import { type Attempt, startOf, toTurn } from '../../turns/turn.ts';
import { untilCurrent } from '../../until-current.ts';
import type { Handlers } from '../handlers.ts';
import { inNewSession } from './in-new-session.ts';

type Accepted = MessageInitShape<typeof BeginTurnResponseSchema>;

/**
 * Accepts a run. When this answers, the run is committed, and running or queued. A new message to a session whose turn is free takes one statement. A
 * run that has to wait takes a second one, and keys, answers, interruptions and new sessions take more. A statement that finds the session changed
 * is repeated.
 */
export function beginTurn(service: Context): Handlers['beginTurn'] {
  return async (request, call) => {
    const context = { ...service, db: service.db.within(call) };
    if (!request.createsSession && !canExist(request.session)) throw sessionNotFound();
    const session = (request.createsSession ? checkNewSessionKey : checkSessionKey)(request.session);
    const met = service.executors.meet(service.db, request.owner);
    if (met !== undefined) await met;
    const key = toRunKey(session, request);
    const begin = (inner: Context): Promise<Accepted> => accept(inner, session, request, key);
    const work = () => (request.createsSession ? inNewSession(context, session, begin) : begin(context));
    return key === undefined ? work() : onceForKey(context, { accountId: session.accountId, key }, work);
  };
}

async function accept(
  context: Context,
  session: CheckedKey,
  request: BeginTurnRequest,
  key?: RunKey,
): Promise<Accepted> {
  checkBytes(context, session.accountId);
  const answered = await findAnsweredCalls(context, session, request.answeredCallIds);
  const attempt = await readAttempt(context, session, { request, answered });
  if (request.multitask === Multitask.ROLLBACK) await checkRewinds(context, session);
  const changes = toChanges(attempt.stateDelta);
  if (request.isBound && changes.some(isOfApp)) throw appStateForbidden();
  // A run that has to wait must be one that can start.
  checkChanges(changes, context.limits);
  const isUsual = key === undefined && !request.postpone && !request.awaited;
  const isNew = isUsual && request.invocationId === '' && answered === undefined;
  const { start, outcome } = await untilCurrent(async () => {
    const awaited =
      answered && (await waitingSince(context.db, session, { ...answered, attempt: request.waitingAttempt }));
    const run = toRun(request, attempt, awaited ?? undefined);
    const start = startOf({ ...attempt, added: run.added }, context);
    const free = isNew ? await takeFreeTurn(context.db, start, run) : undefined;
    const interrupts = run.waitingAttempt === null ? interruptionOf(request) : undefined;
    const outcome = free ?? (await takeOrQueue(context, start, { request: run, key, interrupts }));
    return outcome && { start, outcome };
  });
  const { invocationId } = attempt;
  if (outcome === 'in_progress') throw runInProgress(invocationId);
  if (outcome === 'busy') throw sessionBusy();
  if (!('state' in outcome)) return { invocationId, ...outcome };
  return { invocationId, turn: await toTurn(context, attempt, { start, turn: outcome }) };
}

interface Acceptance {
  readonly request: RunRequest;
  readonly key: RunKey | undefined;
  readonly interrupts: Interruption | undefined;
}

/** How a run takes the place of the one that holds the turn. */
interface Interruption {
  readonly rollsBack: boolean;
}

function interruptionOf({ multitask }: BeginTurnRequest): Interruption | undefined {
  const rollsBack = multitask === Multitask.ROLLBACK;
  return rollsBack || multitask === Multitask.INTERRUPT ? { rollsBack } : undefined;
}

/** Throws `rewinds_too_many` when no turn of the session can be rewound any more. */
async function checkRewinds({ db }: Context, key: CheckedKey): Promise<void> {
  const history = await selectHistory(db, key);
  if (readView(history?.view ?? null).rewinds.length >= mostRewinds) throw rewindsTooMany(mostRewinds);
}

/** Takes the turn or queues; with `interrupts` before all other runs of the session. Undefined when the session was changed meanwhile. */
async function takeOrQueue(
  context: Context,
  start: TurnStart,
  { interrupts, ...run }: Acceptance,
): Promise<TurnOutcome | undefined> {
  if (interrupts === undefined) return acceptTurn(context.db, start, run);
  const answer = await acceptInterrupting(context.db, start, { ...run, ...interrupts });
  const stopped = answer?.interrupted;
  if (stopped !== undefined) {
    const { accountId } = start.key;
    const lease = { accountId, sessionPk: stopped.pk, invocationId: stopped.key, fence: stopped.fence };
    // The fence of a run that has not begun is 0: nobody executes it.
    if (stopped.fence === 0n) await endUnbegun(context, lease);
    else hintCancel(context, lease);
  }
  return answer?.outcome;
}

/** Ends a run that was granted the turn, and that another one has marked. If this fails, it ends as one whose executor is gone. */
async function endUnbegun(context: Context, run: HeldRun): Promise<void> {
  const { accountId, sessionPk, invocationId } = run;
  const name = { accountId, sessionPk, invocationId, events: [], changes: [], limits: context.limits };
  const end = async (): Promise<number | undefined> => {
    const state = await findAttempt(context.db, run);
    const { last_seq: lastSeq = null, cancel_fence: fence = null } = state ?? {};
    if (state === undefined || fence === null || lastSeq === null) return 0;
    return endAttempt(context, { ...name, fence, lastSeq }, stoppedEnding(state.cause));
  };
  await untilCurrent(end).catch((err: unknown) =>
    context.log.warn({ err, invocationId }, 'a run that was rolled back before it began could not be ended yet'),
  );
}

async function readAttempt(
  context: Context,
  key: CheckedKey,
  { request, answered }: { readonly request: BeginTurnRequest; readonly answered: AnsweredCalls | undefined },
): Promise<Attempt> {
  const made = answered?.invocationId ?? '';
  const { owner, window, known, streaming, isBound } = request;
  return {
    key,
    // An imported event may have no invocation id, or one that a run cannot have.
    invocationId: isInvocationId(made) ? made : await checkInvocation(context, key, request),
    owner,
    window,
    known: known === undefined || answered !== undefined ? nothingKnown : known,
    message: optionalText(request.messageJson),
    stateDelta: parseDelta(request.stateDeltaJson),
    customMetadata: optionalText(request.customMetadataJson),
    streaming,
    isBound,
    answeredSeq: answered?.seq,
  };
}

/** The run to accept. An answer that leaves no call open takes the messages along that the run has kept. */
function toRun(request: BeginTurnRequest, { answeredSeq }: Attempt, awaited?: Awaited): RunRequest {
  const takesAdded = awaited?.isLast ?? false;
  return {
    waitingAttempt: awaited?.attempt ?? null,
    takesAdded,
    added: takesAdded ? (awaited?.added ?? null) : null,
    message: optionalText(request.messageJson) ?? null,
    stateDelta: optionalText(request.stateDeltaJson) ?? null,
    customMetadata: optionalText(request.customMetadataJson) ?? null,
    streaming: request.streaming,
    isBound: request.isBound,
    answeredSeq: answeredSeq ?? null,
    postpone: request.postpone,
    awaited: request.awaited,
    rejects: request.multitask === Multitask.REJECT,
  };
}

/** Function calls of one invocation. */
interface AnsweredCalls extends Pick<Answer, 'calls'> {
  readonly invocationId: string;
  /** Sequence of the oldest event that makes one of them. */
  readonly seq: number;
}

async function findAnsweredCalls(
  { db }: Context,
  key: CheckedKey,
  callIds: readonly string[],
): Promise<AnsweredCalls | undefined> {
  if (callIds.length === 0) return undefined;
  const found = await Promise.all(callIds.map((id) => findFunctionCall(db, key, id)));
  const sites = found.filter((site) => site !== undefined);
  // An unknown session is reported before an unknown call.
  if (sites.length < callIds.length) await selectRunStatus(db, key, '');
  if (sites.length < callIds.length) throw callNotFound(callIds.filter((_, index) => found[index] === undefined));
  const invocationId = sites[0]?.invocation_id ?? '';
  if (sites.some((site) => site.invocation_id !== invocationId)) {
    throw invalid('Function responses of one message must answer calls of one invocation.');
  }
  const calls = sites.map(({ name }, index) => ({ name, id: callIds[index] ?? '' }));
  return { invocationId, calls, seq: Math.min(...sites.map(({ seq }) => seq)) };
}

async function checkInvocation(context: Context, key: CheckedKey, request: BeginTurnRequest): Promise<string> {
  const { invocationId } = request;
  if (invocationId !== '' && !isInvocationId(invocationId)) {
    throw invalid(`An invocation id has at most ${maxInvocationIdLength} characters, none of them NUL.`);
  }
  if (request.messageJson.length > 0) return invocationId === '' ? `e-${randomUUID()}` : invocationId;
  if (invocationId === '') throw invalid('A run needs a message or an invocation to resume.');
  const status = await selectRunStatus(context.db, key, invocationId);
  if (status === null) throw invocationNotFound(invocationId);
  if (status === 'completed' || status === 'waiting') throw nothingToResume(invocationId, status);
  return invocationId;
}

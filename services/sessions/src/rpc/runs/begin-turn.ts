import { type BeginTurnRequest, type BeginTurnResponseSchema, Multitask } from '@agentmesh/proto/sessions/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Context } from '../../context.ts';
import { checkBytes, countRun, takeRoomForRun } from '../../account-usage.ts';
import { appStateForbidden, runInProgress, runNotFound, sessionBusy, sessionNotFound } from '../../errors.ts';
import { type CheckedKey, canExist, checkNewSessionKey, checkSessionKey } from '../../session-key.ts';
import { isOfApp, toChanges } from '../../state-delta.ts';
import type { RunKey } from '../../store/ledger/run-keys.ts';
import { checkChanges } from '../../store/sizes.ts';
import { takeFreeTurn } from '../../store/turns/free-turn.ts';
import { waitingSince } from '../../turns/awaited-answer.ts';
import { onceForKey, toRunKey } from '../../turns/run-key.ts';
import { startOf, toTurn } from '../../turns/turn.ts';
import { untilCurrent } from '../../until-current.ts';
import type { Handlers } from '../handlers.ts';
import { inNewSession } from './in-new-session.ts';
import { findAnsweredCalls } from './beginning/answered-calls.ts';
import { nameInvocation, readAttempt, toRun } from './beginning/read-attempt.ts';
import { checkRewinds, interruptionOf, takeOrQueue } from './beginning/take-or-queue.ts';

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
    if (request.onlyRepeats) return repeat(context, session, key);
    if (key === undefined && !request.createsSession) return accept(context, session, request);
    const begin = (inner: Context): Promise<Accepted> => accept(inner, session, request, key);
    const work = () => (request.createsSession ? inNewSession(context, session, begin) : begin(context));
    return key === undefined ? work() : onceForKey(context, { accountId: session.accountId, key }, work);
  };
}

/** Answers the run of an earlier request with the key. */
function repeat(context: Context, { accountId }: CheckedKey, key: RunKey | undefined): Promise<Accepted> {
  const refuse = () => Promise.reject(runNotFound('no request with this idempotency key was accepted'));
  return key === undefined ? refuse() : onceForKey(context, { accountId, key }, refuse);
}

async function accept(
  context: Context,
  session: CheckedKey,
  request: BeginTurnRequest,
  key?: RunKey,
): Promise<Accepted> {
  const { attempt, start, outcome } = await store(context, session, request, key);
  const { invocationId } = attempt;
  if (!('state' in outcome)) return { invocationId, ...outcome };
  const turn = await toTurn(context, attempt, { start, turn: outcome, isPlain: isPlain(request) });
  return { invocationId, turn, acceptedSeq: outcome.lastSeq - start.events.length };
}

/** True for a new run, with an id of its own, that nobody awaits. */
function isPlain({ invocationId, answeredCallIds, awaited }: BeginTurnRequest): boolean {
  return invocationId === '' && answeredCallIds.length === 0 && !awaited;
}

async function store(context: Context, session: CheckedKey, request: BeginTurnRequest, key?: RunKey) {
  checkBytes(context, session.accountId);
  const isAnswer = request.answeredCallIds.length > 0;
  const isCounted = !isAnswer || key !== undefined;
  using _room = isCounted ? takeRoomForRun(context, session.accountId, key !== undefined) : undefined;
  const answered = isAnswer ? await findAnsweredCalls(context, session, request.answeredCallIds) : undefined;
  const named = nameInvocation(context, session, { request, answered });
  const invocationId = typeof named === 'string' ? named : await named;
  const attempt = readAttempt(session, request, { answered, invocationId });
  if (request.multitask === Multitask.ROLLBACK) await checkRewinds(context, session);
  const changes = toChanges(attempt.stateDelta);
  if (request.isBound && changes.some(isOfApp)) throw appStateForbidden();
  // A run that has to wait must be one that can start.
  checkChanges(session.accountId, changes, context.limits);
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
  if (outcome === 'in_progress') throw runInProgress(attempt.invocationId);
  if (outcome === 'busy') throw sessionBusy();
  const isStarted = 'state' in outcome;
  const stored = { isNew: isStarted ? outcome.attempt === 1 : !isAnswer, isKeyed: key !== undefined };
  countRun(context, session.accountId, { ...stored, customMetadata: attempt.customMetadata });
  return { attempt, start, outcome };
}

import { CallUntil } from '@agentmesh/lib/rpc';
import { type Leaving, Stopping, type Turn as AccountTurn } from '@agentmesh/lib/wait';
import type { LeavePolicy, StartRunRequest } from '@agentmesh/proto/runs/v1';
import type { BeginTurnResponse, SessionKey } from '@agentmesh/proto/sessions/v1';
import type { KeptWindow } from '../apps/turns/history/history-window.ts';
import { messageInvalid, shuttingDown } from '../errors.ts';
import { checkMessage } from './check-message.ts';
import { abortLater } from './abort-later.ts';
import type { Permit } from './admission/admission.ts';
import type { WaitingRun } from './admission/waiting-runs.ts';
import { startWaiting } from './take-up.ts';
import type { Viewer } from './viewer.ts';
import type { Running } from './running.ts';

const acceptTimeoutMs = 10_000;
/** Time in milliseconds for which the answer is waited for when the caller has left: a turn that was granted is started at once. */
const partingMs = 1_000;

/** A run to accept. */
export interface NewRun
  extends Omit<StartRunRequest, '$typeName' | 'noticeTitle' | 'awaited' | 'createsSession' | 'idempotencyKeyHours'> {
  /** See BeginTurnRequest. */
  readonly idempotencyKeyHours?: number;
  /** See RunRequest. */
  readonly streaming: boolean;
  /** See StartRunRequest. */
  readonly awaited?: boolean;
  /** See BeginTurnRequest. */
  readonly waitingAttempt?: number;
  /** See BeginTurnRequest. */
  readonly createsSession?: boolean;
  /** See BeginTurnRequest. */
  readonly onlyRepeats?: boolean;
}

/** For whom a run is accepted. */
interface RunCaller {
  /** Ends when the caller leaves. Absent: nobody can leave. */
  readonly left?: Leaving | undefined;
  readonly viewer?: Viewer;
}

/**
 * Stores a run, and starts it if it has its session's turn; otherwise it waits in the session's queue. A run that has not been sent to the database
 * when the caller leaves is dropped. Fails with the errors that `Run` has before `accepted`.
 */
export function acceptRun(context: Running, request: NewRun, caller: RunCaller = {}): Promise<AcceptedRun> {
  if (!isOfSession(request)) return Promise.reject(messageInvalid('A run needs a session.'));
  return withPermit(context, { ...caller, accountId: request.session.accountId }, (place) =>
    storeRun(context, request, { ...place, ...caller }),
  );
}

type RunOfSession = NewRun & { readonly session: SessionKey };

function isOfSession(request: NewRun): request is RunOfSession {
  return request.session !== undefined;
}

/** The permit and the turn that a new run holds. */
interface Place {
  readonly permit: Permit;
  /** Held while it is stored, and then until it waits for its model or leaves the process idle. */
  readonly entering: AccountTurn;
}

/**
 * Takes a place for a run of an account before anything is done for it, and waits for a turn of the account. `work` stores the run and answers whether it has
 * started; otherwise the place and the turn are given back.
 *
 * @throws MeshError unavailable `runs_draining`, and as `Admission.admit`; the reason why the caller has left
 */
export async function withPermit<T extends { readonly isStarted: boolean }>(
  { draining, admission, accountTurns }: Running,
  { accountId, left }: { readonly accountId: string; readonly left?: Leaving | undefined },
  work: (place: Place) => Promise<T>,
): Promise<T> {
  if (draining.aborted) throw shuttingDown();
  const permit = admission.admit(accountId);
  let [isStarted, entering]: [boolean, AccountTurn | undefined] = [false, undefined];
  try {
    checkWaits(left);
    const turn = accountTurns.wait(accountId, () => left?.signal);
    entering = turn instanceof Promise ? await turn : turn;
    if (draining.aborted) throw shuttingDown();
    const result = await work({ permit, entering });
    isStarted = result.isStarted;
    return result;
  } finally {
    if (!isStarted) {
      permit.release();
      entering?.end();
    }
  }
}

/** A run that was accepted. */
export interface AcceptedRun extends Pick<BeginTurnResponse, 'invocationId' | 'already' | 'acceptedSeq'> {
  readonly isStarted: boolean;
  /** Whether runs of the app go on when their callers leave. */
  readonly onLeave: LeavePolicy;
}

/** Stores a run that has a permit. */
export async function storeRun(
  context: Running,
  request: RunOfSession,
  { permit, entering, viewer, left }: RunCaller & Place,
): Promise<AcceptedRun> {
  const { session } = request;
  const found = context.apps.find(session.accountId, session.appName);
  const { settings } = found instanceof Promise ? await found : found;
  let answeredCallIds: string[];
  try {
    answeredCallIds = checkRequest(request);
  } catch (error) {
    // The lack of a session that should exist is reported before mistakes in the message.
    if (request.createsSession !== true) await requireSession(context, session);
    throw error;
  }
  const known = context.histories.get(session);
  const begin = {
    ...request,
    answeredCallIds,
    owner: context.owner,
    window: context.config.historyWindow,
    postpone: permit.postpone,
    multitask: request.multitask || settings.multitask,
    ...(known && { known: knownOf(known) }),
  };
  checkWaits(left);
  const storing = new Stopping();
  const stay = abortLater(storing, left, partingMs);
  const { strays } = context;
  const call = strays.enter();
  try {
    const begun = await context.sessions.beginTurn(begin, new CallUntil(storing, { timeoutMs: acceptTimeoutMs }));
    const { invocationId, turn, already, acceptedSeq } = begun;
    if (turn !== undefined) context.executor.start(turn, { viewer, known, entering });
    else if (!already) wait(context, { session, invocationId, sessionPk: begun.sessionPk, viewer }, begun);
    return { invocationId, already, acceptedSeq, isStarted: turn !== undefined, onLeave: settings.onLeave };
  } catch (error) {
    strays.failed(error);
    throw error;
  } finally {
    stay();
    strays.leave(call);
  }
}

/** Throws the reason why the caller has left, if it has. */
function checkWaits(left: Leaving | undefined): void {
  if (left?.ended !== undefined) throw left.ended;
}

function knownOf({ sessionPk, lastSeq, lastId, lastTime, timeline }: KeptWindow) {
  return { sessionPk, lastSeq, eventId: lastId, lastTime, timeline };
}

function wait(
  context: Running,
  run: WaitingRun,
  { granted, queuePosition }: Pick<BeginTurnResponse, 'granted' | 'queuePosition'>,
): void {
  if (context.draining.aborted) {
    run.viewer?.leaveToOther();
    return;
  }
  run.viewer?.queued(queuePosition);
  context.waiting.add(run);
  if (!granted) return;
  context.waiting.grant(run);
  // Room may have come meanwhile.
  startWaiting(context);
}

/** The ids of the calls that the message answers. Throws MeshError for a message that cannot be one. */
function checkRequest({ messageJson, invocationId }: NewRun): string[] {
  if (messageJson.length === 0 && invocationId === '') {
    throw messageInvalid('Running an agent requires either a new_message or an invocation_id to resume.');
  }
  return checkMessage(messageJson);
}

async function requireSession({ sessions }: Running, session: SessionKey): Promise<void> {
  const found = new AbortController();
  const options = { timeoutMs: acceptTimeoutMs, signal: found.signal };
  for await (const _ of sessions.getSession({ session }, options)) break;
  found.abort();
}

import type { Logger } from '@agentmesh/lib/telemetry';
import type { ArtifactsService } from '@agentmesh/proto/artifacts/v1';
import type { MemoryService } from '@agentmesh/proto/memory/v1';
import type { SessionsService, Turn } from '@agentmesh/proto/sessions/v1';
import type { Client } from '@connectrpc/connect';
import { isCancelling, isInterrupting, isLost } from '../../errors.ts';
import { outlastOutage } from '../../outlast-outage.ts';
import { loggableError } from '../../models/index.ts';
import type { CountedCost } from '../../models/use/call-costs.ts';
import type { CountCost } from '../../models/use/count-cost.ts';
import type { RunWaits } from '../../models/use/run-waits.ts';
import type { TurnLease } from '../../models/use/turn-lease.ts';
import type { App } from '../../apps/building/app.ts';
import type { ServedApp } from '../../apps/building/app-version.ts';
import type { EndedTurn } from '../compaction/compactor.ts';
import { createTurnArtifacts } from './turn-artifacts.ts';
import { createTurnMemory } from './turn-memory.ts';
import type { AgentRun, AgentRunOptions, EventLoop } from '../../apps/turns/agent-run.ts';
import { AttemptStopped } from './attempt-stopped.ts';
import { describeFailure } from './describe-failure.ts';
import { drive } from './drive.ts';
import type { LiveAttempt } from '../live/live-attempt.ts';
import type { LiveRuns } from '../live/live-runs.ts';
import type { HistoryCache } from './history-cache.ts';
import { extendWindow, HistoryEvent, type HistoryWindow, openWindow } from '../../apps/turns/history/history-window.ts';
import type { RunLimits } from '../../apps/definition/settings/run-limits.ts';
import { LimitReached, lowerLimits } from '../limits/run-limits.ts';
import { RunCost } from '../limits/run-cost.ts';
import { watchTime } from '../limits/time-limit.ts';
import { Journal } from '../recording/journal.ts';
import { createRecorder, type Recorder } from '../recording/recorder.ts';
import { earlierUse } from '../recording/attempt-usage.ts';
import { cancelled, interruptedByRun, type Stop } from '../recording/stop.ts';
import { asSeen } from './as-seen.ts';
import { RunNotContinued } from '../../apps/turns/takeover/run-not-continued.ts';
import type { Viewer } from '../viewer.ts';

export interface ExecutionDeps {
  /** Name of this process, as its turns have it. */
  readonly owner: string;
  readonly sessions: Client<typeof SessionsService>;
  /** Memory for the agents' tools. Absent: the tools return an error. */
  readonly memory?: Client<typeof MemoryService>;
  /** Artifacts for the agents' tools. Absent: the tools return an error. */
  readonly artifacts?: Client<typeof ArtifactsService>;
  /** Finds an app of an account. Throws MeshError when there is none. */
  readonly findApp: (accountId: string, name: string) => ServedApp | Promise<ServedApp>;
  /** Limits of each run. */
  readonly limits: RunLimits;
  /** Seconds for which runs of apps that say nothing wait for an answer; 0: for ever. */
  readonly answerSeconds: number;
  /** Number of most recent events that an agent sees. */
  readonly historyWindow: number;
  /** Time in milliseconds that attempts go on while a service or its database cannot be reached. */
  readonly outageMs: number;
  readonly histories: HistoryCache;
  readonly live: Pick<LiveRuns, 'attempt'>;
  /** Counts what the calls of a run have cost so far. Absent: the cost of executors that died is not known. */
  readonly countCost?: CountCost;
  /** Called when the agents of a turn have come to their end. */
  readonly onTurnEnded?: (ended: EndedTurn) => void;
  readonly log: Logger;
}

export interface AttemptRun {
  readonly turn: Turn;
  /** The cached window that the request to BeginTurn named. */
  readonly known?: HistoryWindow | undefined;
  readonly viewer?: Viewer | undefined;
  /** Ends the agents. It is aborted with AttemptStopped from outside, and in any case when the attempt is over. */
  readonly working: AbortController;
  readonly lease: TurnLease;
  readonly waits: RunWaits;
  /** Aborted with AttemptStopped when nothing more can be written. */
  readonly lost: AbortSignal;
}

/** How an attempt ended for its executor. `lost`: the executor no longer holds the turn. `handed-over`: another executor goes on. */
export type Ending = 'ended' | 'failed' | 'cancelled' | 'lost' | 'handed-over';

/** One error for all attempts, because creating one for each would cost a stack trace. */
const attemptOver = new Error('The attempt is over.');

/** Executes a granted turn. Never rejects: a failure is stored if that is still possible, and sent to the viewer. */
export async function executeAttempt(deps: ExecutionDeps, run: AttemptRun): Promise<Ending> {
  const { invocationId, session } = run.turn;
  const live = deps.live.attempt(run.turn);
  try {
    return await runAgents(deps, run, live);
  } catch (err) {
    if (hasLost(err)) deps.log.info({ err, invocationId, app: session?.appName }, 'run lost its turn');
    else deps.log.error({ err, invocationId, app: session?.appName }, 'the end of a run could not be stored');
    run.viewer?.fail({ type: 'RunCancelled', message: 'The run was cancelled.' });
    return 'lost';
  } finally {
    // ADK's parallel agents go on after one of them failed, until the signal aborts.
    run.working.abort(attemptOver);
    live.end();
  }
}

async function runAgents(deps: ExecutionDeps, run: AttemptRun, live: LiveAttempt): Promise<Ending> {
  const { turn, viewer, working, lease, waits, lost } = run;
  const window = openWindow(turn, run.known, deps.historyWindow);
  const journal = new Journal({ sessions: deps.sessions, turn, signal: lost });
  const costs = new RunCost(working);
  const recorder = createRecorder({ turn, journal, viewer, live, costs });
  let author = turn.session?.appName ?? '';
  let hasApp = false;
  try {
    const app = await findApp(deps, run);
    author = app.rootName;
    hasApp = true;
    recorder.tellAgent(app.version);
    if (turn.isTakeover) {
      if (!app.settings.isResumable) throw new RunNotContinued('its app says "resumable: false"');
      recorder.noteBefore(window.events.map(({ event }) => event));
    }
    const limits = lowerLimits(deps.limits, app.settings.limits);
    const earlier = earlierUse(turn);
    using _ = watchTime(limits.seconds, earlier['seconds'] ?? 0, working);
    costs.limit(limits.cost, earlier, turn.isTakeover ? await countCost(deps, run, limits) : undefined);
    recorder.limit(limits);
    const { answerTimeoutSeconds: answerSeconds = deps.answerSeconds, asksByMail = false } = app.settings;
    recorder.waitAs({ answerSeconds, asksByMail });
    const services = { ...servicesOf(deps, run), ...callsOf(limits, earlier) };
    await runLoops(app, { ...services, turn, window, recorder, working, costs, lease, waits });
    viewer?.end();
    remember(deps, { turn, window, journal });
    deps.onTurnEnded?.({ app, turn, window, written: journal.written });
    return 'ended';
  } catch (error) {
    if (isHandedOver(lost)) {
      viewer?.leaveToOther(journal.lastSeq);
      return 'handed-over';
    }
    let stop = stopOf(error, working.signal);
    // An app that is gone is not found either, but then the turn is still held.
    if (stop === undefined && hasApp && hasLost(error)) throw error;
    stop ??= await fail(deps, run, { recorder, author, error });
    if (stop === undefined) return 'failed';
    await recorder.stop(author, stop);
    viewer?.end();
    return 'cancelled';
  }
}

interface FailedAgents {
  readonly recorder: Recorder;
  readonly author: string;
  readonly error: unknown;
}

/** Ends an attempt as failed. When it is being stopped at the same time, it has not ended yet: answers how it has to. */
async function fail(
  deps: ExecutionDeps,
  { turn, viewer, working }: AttemptRun,
  { recorder, author, error }: FailedAgents,
): Promise<Stop | undefined> {
  deps.log.warn(
    { err: loggableError(error), invocationId: turn.invocationId, app: turn.session?.appName },
    'run failed',
  );
  const { type, errorCode, errorMessage } = describeFailure(error);
  try {
    await recorder.fail({ author, errorCode, errorMessage });
  } catch (refusal) {
    const stop = stopOf(refusal, working.signal);
    if (stop === undefined) throw refusal;
    return stop;
  }
  // Like a failed model, a limit is told by the event alone.
  if (error instanceof LimitReached) viewer?.end();
  else viewer?.fail({ type, message: errorMessage });
  return undefined;
}

/** The cost of the run so far, with its dead executor. A run whose cost is limited waits until that is known, and may not go on without. */
async function countCost(
  { countCost: count, log, outageMs }: ExecutionDeps,
  { turn: { session, invocationId }, working: { signal } }: AttemptRun,
  limits: RunLimits,
): Promise<CountedCost | undefined> {
  if (count === undefined) return undefined;
  const isLimited = limits.cost < Infinity;
  const run = { accountId: session?.accountId ?? '', invocationId };
  try {
    return await outlastOutage(() => count(run), { signal, patienceMs: isLimited ? outageMs : 0 });
  } catch (err) {
    signal.throwIfAborted();
    log.warn({ err, invocationId }, 'the cost of a dead executor is not known');
    return isLimited ? { nanos: 0n, unpriced: 1 } : undefined;
  }
}

/** The app of the turn. A run whose agents cannot be read now waits for them. */
function findApp({ findApp: find, outageMs }: ExecutionDeps, { turn, working }: AttemptRun): Promise<ServedApp> {
  const { accountId = '', appName = '' } = turn.session ?? {};
  return outlastOutage(async () => find(accountId, appName), { signal: working.signal, patienceMs: outageMs });
}

function callsOf(
  limits: RunLimits,
  earlier: Readonly<Record<string, number>>,
): Pick<AgentRunOptions, 'maxModelCalls' | 'earlierModelCalls'> {
  return { maxModelCalls: limits.modelCalls, earlierModelCalls: earlier['modelCalls'] ?? 0 };
}

interface Looping extends Omit<AgentRunOptions, 'signal'> {
  readonly recorder: Recorder;
  readonly working: AbortController;
}

/** Runs the agents to their end, and again when messages were added to the run that no model has seen. */
async function runLoops(app: App, { recorder, working, ...options }: Looping): Promise<void> {
  const { signal } = working;
  const begun = { ...options, window: asSeen(options.window, options.turn) };
  let opened: AgentRun | undefined;
  try {
    for (let next = begun; ; next = continued(begun, recorder, opened)) {
      opened = app.open({ ...next, signal });
      recorder.attach(opened.session);
      if (await drive(opened.loop, recorder, { signal, lease: options.lease })) return;
      // The agents of a worker stay there until their loop is left.
      close(opened.loop);
    }
  } finally {
    if (opened !== undefined) leave(opened.loop, working);
  }
}

/** The turn with what has happened in it. */
function continued<T extends Pick<AgentRunOptions, 'turn' | 'window' | 'earlierModelCalls'>>(
  options: T,
  { history, modelCalls }: Recorder,
  { session }: AgentRun,
): T {
  const { turn, window } = options;
  const earlierModelCalls = (earlierUse(turn)['modelCalls'] ?? 0) + modelCalls;
  const stateJson = Buffer.from(JSON.stringify(session.state));
  const events = [...window.events, ...history.map((json) => new HistoryEvent(json, false))];
  return { ...options, earlierModelCalls, turn: { ...turn, stateJson }, window: { ...window, events } };
}

/** ADK's services of the turn's session, user and app. */
function servicesOf(
  { memory, artifacts, outageMs }: ExecutionDeps,
  { turn, waits, working: { signal } }: AttemptRun,
): Pick<AgentRunOptions, 'memory' | 'artifacts'> {
  return {
    ...(memory && { memory: createTurnMemory({ memory, turn, signal }) }),
    ...(artifacts && { artifacts: createTurnArtifacts({ artifacts, turn, signal, waits, outageMs }) }),
  };
}

/** Caches the window for the next turn, unless others have written events that this attempt has not seen. */
function remember(
  { histories }: ExecutionDeps,
  attempt: { turn: Turn; window: HistoryWindow; journal: Journal },
): void {
  const { turn, window, journal } = attempt;
  const seen = journal.lastSeq === turn.lastSeq + journal.written.length;
  if (seen && turn.session !== undefined) histories.set(turn.session, extendWindow(window, journal.written));
}

/** Lets the loop run its `finally` blocks, but does not wait for a tool that ignores the signal. */
function leave(loop: EventLoop, working: AbortController): void {
  working.abort(attemptOver);
  close(loop);
}

function close(loop: EventLoop): void {
  loop.return().catch(() => undefined);
}

/** How the run has to end: this process was told so, or an append was refused for it. Undefined when it is not being stopped. */
function stopOf(error: unknown, { reason }: AbortSignal): Stop | undefined {
  const cause = reason instanceof AttemptStopped ? reason.stopCause : undefined;
  if (cause === 'interrupted' || isInterrupting(error)) return interruptedByRun;
  return cause === 'cancelled' || isCancelling(error) ? cancelled : undefined;
}

function isHandedOver({ reason }: AbortSignal): boolean {
  return reason instanceof AttemptStopped && reason.stopCause === 'handed-over';
}

function hasLost(error: unknown): boolean {
  return isLost(error) || (error instanceof AttemptStopped && error.stopCause === 'lost');
}

import { logAccess } from '@agentmesh/lib/telemetry';
import type { Turn } from '@agentmesh/proto/sessions/v1';
import type { AgentRunOptions } from '../../apps/turns/agent-run.ts';
import { describeFailure } from './describe-failure.ts';
import type { LiveAttempt } from '../live/live-attempt.ts';
import { extendWindow, type HistoryWindow, openWindow } from '../../apps/turns/history/history-window.ts';
import type { RunLimits } from '../../apps/definition/settings/run-limits.ts';
import { LimitReached, lowerLimits } from '../limits/run-limits.ts';
import { RunCost } from '../limits/run-cost.ts';
import { watchTime } from '../limits/time-limit.ts';
import { Journal } from '../recording/journal.ts';
import { createRecorder, type Recorder } from '../recording/recorder.ts';
import { tellFailed, tellHandedOver, tellTakenUp, tellUnstored } from '../recording/tell-attempt.ts';
import { earlierUse } from '../recording/attempt-usage.ts';
import type { Stop } from '../recording/early-end.ts';
import { RunNotContinued } from '../../apps/turns/takeover/run-not-continued.ts';
import type { AttemptRun, Ending, ExecutionDeps } from './execution-deps.ts';
import { countCost, findApp, servicesOf } from './parts-of-turn.ts';
import { attemptOver, runLoops } from './run-loops.ts';
import { hasLost, isHandedOver, stopOf } from './attempt-stopped.ts';

/** Executes a granted turn. Never rejects: a failure is stored if that is still possible, and sent to the viewer. */
export async function executeAttempt(deps: ExecutionDeps, run: AttemptRun): Promise<Ending> {
  const { invocationId, session } = run.turn;
  const live = deps.live.attempt(run.turn);
  const begun = performance.now();
  try {
    const ending = await runAgents(deps, run, live);
    if (deps.log.isLevelEnabled('access')) {
      const ms = Math.round(performance.now() - begun);
      logAccess(deps.log, { app: session?.appName, invocationId, ending, ms }, 'run');
    }
    return ending;
  } catch (err) {
    tellUnstored(deps.log, run.turn, { err, isLost: hasLost(err) });
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
  const journal = new Journal({ sessions: deps.sessions, turn, lost, waits });
  const costs = new RunCost(working);
  const recorder = createRecorder({ turn, journal, viewer, live, costs });
  let author = turn.session?.appName ?? '';
  let hasApp = false;
  try {
    const app = await findApp(deps, run);
    author = app.rootName;
    hasApp = true;
    recorder.agent.is(app.version);
    if (turn.isTakeover) {
      tellTakenUp();
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
    await runLoops(app, { ...services, turn, window, recorder, working, costs, lease, waits, missing: recorder.agent });
    viewer?.end(recorder.failure);
    remember(deps, { turn, window, journal });
    deps.onTurnEnded?.({ app, turn, window, written: journal.written });
    return 'ended';
  } catch (error) {
    if (isHandedOver(lost)) {
      tellHandedOver();
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
  const { type, errorCode, errorMessage } = describeFailure(error);
  tellFailed(deps.log, turn, { error, errorCode, errorMessage });
  try {
    await recorder.fail({ author, errorCode, errorMessage });
  } catch (refusal) {
    const stop = stopOf(refusal, working.signal);
    if (stop === undefined) throw refusal;
    return stop;
  }
  // Like a failed model, a limit is told by the event.
  viewer?.fail({ type, message: errorMessage, isTold: error instanceof LimitReached });
  return undefined;
}

function callsOf(
  limits: RunLimits,
  earlier: Readonly<Record<string, number>>,
): Pick<AgentRunOptions, 'maxModelCalls' | 'earlierModelCalls'> {
  return { maxModelCalls: limits.modelCalls, earlierModelCalls: earlier['modelCalls'] ?? 0 };
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

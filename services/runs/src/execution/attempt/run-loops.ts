import type { Stopping } from '@agentmesh/lib/wait';
import type { App } from '../../apps/building/app.ts';
import type { AgentRun, AgentRunOptions, EventLoop } from '../../apps/turns/agent-run.ts';
import { drive } from './drive.ts';
import { HistoryEvent } from '../../apps/turns/history/history-window.ts';
import type { Recorder } from '../recording/recorder.ts';
import { earlierUse } from '../recording/attempt-usage.ts';
import { asSeen } from './as-seen.ts';

/** One error for all attempts, because creating one for each would cost a stack trace. */
export const attemptOver = new Error('The attempt is over.');

interface Looping extends Omit<AgentRunOptions, 'signal'> {
  readonly recorder: Recorder;
  readonly working: Stopping;
}

/** Runs the agents to their end, and again when messages were added to the run that no model has seen. */
export async function runLoops(app: App, { recorder, working, ...options }: Looping): Promise<void> {
  const begun = { ...options, window: asSeen(options.window, options.turn) };
  let opened: AgentRun | undefined;
  try {
    for (let next = begun; ; next = continued(begun, recorder, opened)) {
      opened = app.open({ ...next, signal: working.signal });
      recorder.attach(opened);
      if (await drive(opened.loop, recorder, { working, lease: options.lease })) return;
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

/** Lets the loop run its `finally` blocks, but does not wait for a tool that ignores the signal. */
function leave(loop: EventLoop, working: Stopping): void {
  working.abort(attemptOver);
  close(loop);
}

function close(loop: EventLoop): void {
  loop.return().catch(() => undefined);
}

import { setImmediate as immediate } from 'node:timers/promises';
import { type Event, isFinalResponse } from '@google/adk/core';
import { type Leaving, unlessEnded } from '@agentmesh/lib/wait';
import { AttemptEnd_Outcome } from '@agentmesh/proto/sessions/v1';
import type { AgentRunOptions, EventLoop } from '../../apps/turns/agent-run.ts';
import { hasCalls } from '../../apps/turns/events/event-json.ts';
import { nameCallLimit } from './name-call-limit.ts';
import { nameCredentialArgs } from './name-credential-args.ts';
import type { Recorder } from '../recording/recorder.ts';

/**
 * Runs an agent loop to its end and records its events. If the loop is known to be over, its end is stored together with the
 * last event. An event with an error ends the run. Rejects with the error of the loop or the reason of `working`, and does not
 * wait for a loop that ignores it. False: messages were added that no model has seen, so the agents have to run again.
 */
export async function drive(
  loop: EventLoop,
  recorder: Recorder,
  { working, lease }: Pick<AgentRunOptions, 'lease'> & { readonly working: Leaving },
): Promise<boolean> {
  let next = loop.next();
  for (;;) {
    const step = await unlessEnded(next, working);
    if (step.done === true) return recorder.complete();
    const event = step.value;
    if (event.partial === true) {
      const renewal = lease?.hold();
      if (renewal !== undefined) await renewal;
      recorder.partial(event);
      next = loop.next();
      continue;
    }
    nameCallLimit(event);
    nameCredentialArgs(event);
    await recorder.add(event);
    if (event.errorCode) {
      await recorder.flush(failed(event));
      return true;
    }
    const asked = mayEnd(event) ? loop.next() : undefined;
    if (asked !== undefined && (await endsAtOnce(asked))) return recorder.complete();
    await recorder.flush(undefined, asked !== undefined);
    next = asked ?? loop.next();
  }
}

/** False for calls and their responses: the loop's next step runs the tools or calls the model, and they must be stored before it. */
function mayEnd(event: Event): boolean {
  return isFinalResponse(event) && !hasCalls(event);
}

function failed(event: Event): { outcome: AttemptEnd_Outcome; errorCode: string; errorMessage: string } {
  return {
    outcome: AttemptEnd_Outcome.FAILED,
    errorCode: event.errorCode ?? '',
    errorMessage: event.errorMessage ?? '',
  };
}

/** Whether the loop ends within two turns of the event loop. */
async function endsAtOnce(asked: Promise<IteratorResult<Event, void>>): Promise<boolean> {
  let settled = false;
  let done = false;
  asked.then(
    (step) => {
      settled = true;
      done = step.done === true;
    },
    () => {
      settled = true;
    },
  );
  await immediate();
  if (!settled) await immediate();
  return done;
}

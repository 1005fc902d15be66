import type { LedgerRun } from '@agentmesh/proto/sessions/v1';
import { listOf, recordOf, textOf } from '../provider/json.ts';
import { cutText } from '../safety/clean-text.ts';
import { callMs, type Processor } from './processor.ts';

/** Longest response that a log keeps, in characters. */
const maxLength = 50_000;
/** Events of the session that are searched, from the newest one. */
const mostEvents = 50;
/** Longest time that a model can ask for. */
const longestSeconds = 86_400;

/** The last text that the agent has said in a run; empty when it said nothing or the session was deleted. */
export async function runResponse(processor: Processor, accountId: string, run: LedgerRun): Promise<string> {
  for (const event of await eventsOf(processor, accountId, run)) {
    const text = textOfEvent(event);
    if (text !== '') return cutText(text, maxLength);
  }
  return '';
}

/** Seconds that the model has asked to wait for, in the event with which the run has failed; undefined when it has named none. */
export async function runRetryAfter(processor: Processor, accountId: string, run: LedgerRun) {
  for (const { customMetadata } of await eventsOf(processor, accountId, run)) {
    const { retry_after_seconds: seconds } = recordOf(customMetadata);
    if (typeof seconds === 'number' && seconds >= 0) return Math.min(seconds, longestSeconds);
  }
  return undefined;
}

/** Events of a run, the newest first, without the message of the user. */
async function eventsOf({ sessions }: Processor, accountId: string, run: LedgerRun) {
  const { appName, userId, sessionId, invocationId } = run;
  const session = { accountId, appName, userId, sessionId };
  const request = { session, limit: mostEvents, newestFirst: true };
  const { events } = await sessions.listEvents(request, { timeoutMs: callMs });
  return events
    .filter((event) => event.invocationId === invocationId && event.author !== 'user')
    .map(({ json }) => recordOf(JSON.parse(new TextDecoder().decode(json)) as unknown));
}

/** Text of the parts, without thoughts. */
function textOfEvent({ content }: Record<string, unknown>): string {
  const parts = listOf(recordOf(content).parts).map(recordOf);
  return parts
    .filter(({ thought }) => thought !== true)
    .map(({ text }) => textOf(text))
    .join('')
    .trim();
}

import type { LedgerRun } from '@agentmesh/proto/sessions/v1';
import { listOf, recordOf, textOf } from '../mail/json.ts';
import { cutText } from '../safety/clean-text.ts';
import { callMs, type Processor } from './processor.ts';

/** Longest response that a log keeps, in characters. */
const maxLength = 50_000;
/** Events of the session that are searched, from the newest one. */
const mostEvents = 50;

/** The last text that the agent has said in a run; empty when it said nothing or the session was deleted. */
export async function runResponse({ sessions }: Processor, accountId: string, run: LedgerRun): Promise<string> {
  const { appName, userId, sessionId, invocationId } = run;
  const session = { accountId, appName, userId, sessionId };
  const request = { session, limit: mostEvents, newestFirst: true };
  const { events } = await sessions.listEvents(request, { timeoutMs: callMs });
  for (const event of events) {
    if (event.invocationId !== invocationId || event.author === 'user') continue;
    const text = textOfEvent(event.json);
    if (text !== '') return cutText(text, maxLength);
  }
  return '';
}

/** Text of the parts, without thoughts. */
function textOfEvent(json: Uint8Array): string {
  const event = recordOf(JSON.parse(new TextDecoder().decode(json)) as unknown);
  const parts = listOf(recordOf(event.content).parts).map(recordOf);
  return parts
    .filter(({ thought }) => thought !== true)
    .map(({ text }) => textOf(text))
    .join('')
    .trim();
}

import type { EventJson } from '@agentmesh/proto/event';
import { bytesOf } from '../json-bytes.ts';
import type { PagedEvent } from '../store/events/event-pages.ts';

/** Largest output that a record has, in bytes. */
const mostBytes = 64 * 1024;

/** The last answer in the events of a run, whose newest is the first. See LedgerRun.output_json. */
export function outputOf(events: readonly Pick<PagedEvent, 'id' | 'author' | 'json'>[]): Uint8Array {
  for (const { id, author, json } of events) {
    if (author === 'user') continue;
    const text = answerOf(JSON.parse(json) as Partial<EventJson>);
    if (text === '') continue;
    const output = isJson(text) ? text : JSON.stringify(text);
    return bytesOf(Buffer.byteLength(output) > mostBytes ? JSON.stringify({ truncated: true, eventId: id }) : output);
  }
  return bytesOf('');
}

/** The text of an answer, without thoughts. Empty for an event that calls tools: the answer comes later. */
function answerOf({ content }: Partial<EventJson>): string {
  // An agent in code may have written anything.
  const parts: unknown[] = Array.isArray(content?.parts) ? content.parts : [];
  const known = parts.filter(
    (part): part is Readonly<Record<string, unknown>> => typeof part === 'object' && part !== null,
  );
  if (known.some((part) => 'functionCall' in part || 'functionResponse' in part)) return '';
  const said = known.filter(({ thought }) => thought !== true);
  return said
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('')
    .trim();
}

/** Whether a text is a JSON object or array, as an agent with an `output_schema` answers. */
function isJson(text: string): boolean {
  if (!text.startsWith('{') && !text.startsWith('[')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

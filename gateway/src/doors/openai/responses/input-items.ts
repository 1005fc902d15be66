import { isFields, partsOf } from '../content-parts.ts';
import { type Place, refusal } from '../refusal.ts';
import type { Said } from '../transcript.ts';

const kinds: Readonly<Record<string, 'system' | 'user' | 'model'>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'model',
};

/** Items that a client sends back from earlier answers: the session has them. */
const echoed = new Set(['function_call', 'reasoning']);

/** Messages of an input: a text of the user, or a list of items. Throws 400 for an item that the mesh cannot take. */
export function saidIn(input: unknown, instructions: string | null | undefined): Said[] {
  const place = ['input'];
  const first: Said[] = instructions ? [{ kind: 'system', parts: [{ text: instructions }] }] : [];
  if (typeof input === 'string') return [...first, { kind: 'user', parts: partsOf(input, place) }];
  if (!Array.isArray(input)) throw refusal(place, 'A text or a list of items is required.');
  return [...first, ...input.flatMap((item: unknown, index) => saidBy(item, [...place, index]))];
}

function saidBy(item: unknown, place: Place): Said[] {
  if (!isFields(item)) throw refusal(place, 'An item is an object.');
  const { type = 'message', role, content, call_id: callId, output } = item;
  if (type === 'message') {
    const kind = typeof role === 'string' && Object.hasOwn(kinds, role) ? kinds[role] : undefined;
    if (kind === undefined)
      throw refusal([...place, 'role'], 'The role of a message is system, developer, user or assistant.');
    return [{ kind, parts: partsOf(content, [...place, 'content']) }];
  }
  if (type === 'function_call_output') {
    if (typeof callId !== 'string') throw refusal([...place, 'call_id'], 'The id of the call is required.');
    const parts = partsOf(output, [...place, 'output']);
    return [
      { kind: 'output', callId, output: parts.map(({ text = '' }) => text).join(''), place: [...place, 'call_id'] },
    ];
  }
  if (typeof type === 'string' && echoed.has(type)) return [];
  throw refusal([...place, 'type'], 'This type of item is not served.');
}

import type { Part } from './content-parts.ts';
import { type Place, refusal } from './refusal.ts';

/** The answer to a call that a run waits for. */
export interface Output {
  readonly callId: string;
  readonly output: unknown;
  readonly place: Place;
}

/** A message of a client, in the words of both APIs. */
export type Said =
  | { readonly kind: 'system' | 'user' | 'model'; readonly parts: readonly Part[] }
  | ({ readonly kind: 'output' } & Output);

export interface Turn {
  readonly role: 'user' | 'model';
  readonly parts: Part[];
}

/** A conversation as a client sends it: answers to a run that waits, or messages of which the last one is new. */
export type Transcript =
  | { readonly outputs: readonly Output[] }
  | { readonly instructions: readonly Part[]; readonly earlier: readonly Turn[]; readonly newest: Part[] };

/**
 * Reads a conversation. Instructions are the system messages in front of all others; later ones belong to the user's message. Answers of tools count at the end
 * only: earlier ones are left out, with their calls.
 */
export function transcriptOf(messages: readonly Said[], place: Place): Transcript {
  const behind = messages.slice(messages.findLastIndex(({ kind }) => kind === 'model') + 1);
  const outputs = behind.filter((message) => message.kind === 'output');
  const last = behind.at(-1);
  if (last?.kind === 'output') return { outputs };
  if (outputs.length > 0) throw refusal(place, 'Answers to calls must be the last messages.');
  const instructions: Part[] = [];
  const turns: Turn[] = [];
  for (const { kind, ...message } of messages) {
    if (!('parts' in message)) continue;
    if (kind === 'system' && turns.length === 0) for (const part of message.parts) instructions.push(part);
    else add(turns, kind === 'model' ? 'model' : 'user', message.parts);
  }
  const newest = turns.pop();
  if (newest?.role !== 'user' || newest.parts.length === 0)
    throw refusal(place, 'The last message must be one of the user that says something.');
  return { instructions, earlier: turns.filter(({ parts }) => parts.length > 0), newest: newest.parts };
}

function add(turns: Turn[], role: Turn['role'], parts: readonly Part[]): void {
  const last = turns.at(-1);
  if (last?.role !== role) turns.push({ role, parts: [...parts] });
  // More than some ten thousand parts are too many arguments of one call.
  else for (const part of parts) last.parts.push(part);
}

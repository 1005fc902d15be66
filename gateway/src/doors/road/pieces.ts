import type { JsonObject } from '@agentmesh/proto/event';
import { parseExactly } from '@agentmesh/proto/exact-json';
import type { RunFrame } from '@agentmesh/proto/runs/v1';

type Words = 'text' | 'thought';

/** A piece of what the agents of a run say and do. Together the pieces have each word once, whether there were partial events or not. */
export type Piece =
  | { readonly kind: 'open'; readonly id: string; readonly words: Words; readonly author: string }
  | { readonly kind: 'delta'; readonly id: string; readonly words: Words; readonly text: string }
  /** `isLeft`: its executor died, and the next one says something else, which is a text of its own. */
  | { readonly kind: 'close'; readonly id: string; readonly words: Words; readonly isLeft?: true }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly args: JsonObject }
  | { readonly kind: 'result'; readonly id: string; readonly name: string; readonly response: JsonObject }
  /** `data` is base64 in the alphabet of addresses, as events have it. */
  | { readonly kind: 'file'; readonly mimeType: string; readonly data?: string; readonly uri?: string };

interface Part {
  readonly text?: string;
  readonly thought?: boolean;
  readonly functionCall?: { readonly id?: string; readonly name?: string; readonly args?: JsonObject };
  readonly functionResponse?: { readonly id?: string; readonly name?: string; readonly response?: JsonObject };
  readonly inlineData?: { readonly mimeType?: string; readonly data?: string };
  readonly fileData?: { readonly mimeType?: string; readonly fileUri?: string };
}

interface Event {
  readonly author: string;
  readonly branch?: string;
  readonly partial?: boolean;
  readonly content?: { readonly parts?: readonly Part[] };
}

interface Teller {
  /** The pieces of an event, or of a gap. */
  add(frame: Pick<RunFrame, 'json'>): Piece[];
  /** Closes what is still open. */
  end(): Piece[];
}

/** A text that is being said. */
interface Open {
  readonly id: string;
  readonly words: Words;
  said: string;
}

/** Turns the events of one run, from its beginning on, into pieces. Ids are numbered, so a run that is read again has the same ones. */
export function createTeller(): Teller {
  const open = new Map<string, Open>();
  let count = 0;
  /** Agents that have said something whole since the newest gap; undefined before the first one. */
  let sinceGap: Set<string> | undefined;
  const close = (speaker: string, isLeft = false): Piece[] => {
    const one = open.get(speaker);
    open.delete(speaker);
    return one === undefined ? [] : [closeOf(one, isLeft)];
  };
  const say = (speaker: string, { words, author, text }: { words: Words; author: string; text: string }): Piece[] => {
    const known = open.get(speaker);
    if (text === '') return [];
    const one = known ?? { id: `${words}-${++count}`, words, said: '' };
    open.set(speaker, one);
    one.said += text;
    const delta: Piece = { kind: 'delta', id: one.id, words, text };
    return known === undefined ? [{ kind: 'open', id: one.id, words, author }, delta] : [delta];
  };
  const speak = (event: Event): Piece[] => {
    const { author, branch = '', partial = false, content } = event;
    const pieces = (['thought', 'text'] as const).flatMap((words) => {
      const speaker = `${branch} ${author} ${words}`;
      const whole = textOf(event, words);
      if (partial) return say(speaker, { words, author, text: whole });
      const { said = '' } = open.get(speaker) ?? {};
      // An executor that died has said something else than the one that went on.
      const rest = whole.startsWith(said) ? whole.slice(said.length) : undefined;
      const left = rest === undefined ? close(speaker, true) : [];
      return [...left, ...say(speaker, { words, author, text: rest ?? whole }), ...close(speaker)];
    });
    return partial ? pieces : [...pieces, ...(content?.parts ?? []).flatMap(actOf)];
  };
  return {
    add({ json }) {
      if (json.length === 0) {
        sinceGap = new Set();
        return [];
      }
      const event = parseExactly(Buffer.from(json).toString()) as Event;
      if (event.author === 'user') return (event.content?.parts ?? []).flatMap(answerIn);
      const agent = `${event.branch ?? ''} ${event.author}`;
      // Words that a gap hides come with the next whole event.
      if (event.partial === true && sinceGap?.has(agent) === false) return [];
      if (event.partial !== true) sinceGap?.add(agent);
      return speak(event);
    },
    end: () => [...open.keys()].flatMap((speaker) => close(speaker)),
  };
}

function closeOf({ id, words }: Open, isLeft: boolean): Piece {
  return { kind: 'close', id, words, ...(isLeft && { isLeft }) };
}

function textOf({ content }: Event, words: Words): string {
  const said = (content?.parts ?? []).filter(({ thought = false }) => thought === (words === 'thought'));
  return said.map(({ text = '' }) => text).join('');
}

function actOf(part: Part): Piece[] {
  const { functionCall, functionResponse, inlineData, fileData } = part;
  if (functionCall !== undefined) {
    const { id = '', name = '', args = {} } = functionCall;
    return [{ kind: 'call', id, name, args }];
  }
  if (functionResponse !== undefined) return answerIn(part);
  const { mimeType = 'application/octet-stream' } = inlineData ?? fileData ?? {};
  if (inlineData?.data !== undefined) return [{ kind: 'file', mimeType, data: inlineData.data }];
  return fileData?.fileUri === undefined ? [] : [{ kind: 'file', mimeType, uri: fileData.fileUri }];
}

function answerIn({ functionResponse }: Part): Piece[] {
  if (functionResponse === undefined) return [];
  const { id = '', name = '', response = {} } = functionResponse;
  return [{ kind: 'result', id, name, response }];
}

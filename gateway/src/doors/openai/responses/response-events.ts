import type { LedgerRun } from '@agentmesh/proto/sessions/v1';
import type { Piece } from '../../road/pieces.ts';
import type { ShownCall } from '../run-end.ts';
import type { AnswerEnd } from '../tell-run.ts';
import { responseOf, statusOf } from './response-object.ts';

interface ResponseEvent {
  readonly type: string;
  readonly sequence_number: number;
  readonly delta?: string;
}

type PieceOf<Kind extends Piece['kind']> = Extract<Piece, { readonly kind: Kind }>;

interface Message {
  readonly id: string;
  readonly index: number;
  text: string;
}

/** Last events, by the status of the response. */
const ends: Readonly<Record<string, string>> = { completed: 'completed', failed: 'failed' };

/**
 * Makes OpenAI's events of what a run answers. An event counts one, and a delta the length of its text: so a number names the same place in the answer however the
 * text came, in words or, when it is read later, as a whole. Numbers grow, with gaps.
 */
export class ResponseEvents {
  readonly #id: string;
  readonly #output: object[] = [];
  /** Messages of executors that died: the run has others in their place. */
  readonly #left = new Set<object>();
  readonly #open = new Map<string, Message>();
  #count = 0;

  constructor(id: string) {
    this.#id = id;
  }

  get output(): readonly object[] {
    return this.#output.filter((item) => !this.#left.has(item));
  }

  begin(run: LedgerRun): ResponseEvent[] {
    const response = { ...responseOf(this.#id, run, []), status: 'in_progress' };
    return [this.#make('created', { response }), this.#make('in_progress', { response })];
  }

  /** Thoughts are left out, and the calls of the app's own tools. */
  add(piece: Piece): ResponseEvent[] {
    if (!('words' in piece) || piece.words !== 'text') return [];
    if (piece.kind === 'open') return this.#begin(piece.id);
    const message = this.#open.get(piece.id);
    if (message === undefined) return [];
    if (piece.kind === 'close') return this.#close(piece, message);
    message.text += piece.text;
    return [
      this.#make('output_text.delta', { ...placeOf(message), delta: piece.text, logprobs: [] }, piece.text.length),
    ];
  }

  end({ run, calls }: AnswerEnd): ResponseEvent[] {
    const told = calls.flatMap((call) => this.#call(call));
    const type = ends[statusOf(run)] ?? 'incomplete';
    return [...told, this.#make(type, { response: responseOf(this.#id, run, this.output) })];
  }

  #begin(pieceId: string): ResponseEvent[] {
    const index = this.#output.length;
    const message = { id: this.#itemId('msg', index), index, text: '' };
    this.#open.set(pieceId, message);
    const item = { ...itemOf(message, 'in_progress'), content: [] };
    this.#output.push(item);
    const part = partOf('');
    return [
      this.#make('output_item.added', { output_index: index, item }),
      this.#make('content_part.added', { ...placeOf(message), part }),
    ];
  }

  #close({ id, isLeft }: PieceOf<'close'>, message: Message): ResponseEvent[] {
    this.#open.delete(id);
    const item = itemOf(message, isLeft === true ? 'incomplete' : 'completed');
    if (isLeft === true) this.#left.add(item);
    this.#output[message.index] = item;
    const { text, index } = message;
    return [
      this.#make('output_text.done', { ...placeOf(message), text, logprobs: [] }),
      this.#make('content_part.done', { ...placeOf(message), part: partOf(text) }),
      this.#make('output_item.done', { output_index: index, item }),
    ];
  }

  #call({ id: callId, name, arguments: args }: ShownCall): ResponseEvent[] {
    const index = this.#output.length;
    const id = this.#itemId('fc', index);
    const item = { id, type: 'function_call', call_id: callId, name };
    const done = { ...item, arguments: args, status: 'completed' };
    this.#output.push(done);
    const place = { item_id: id, output_index: index };
    const begun = { ...item, arguments: '', status: 'in_progress' };
    return [
      this.#make('output_item.added', { output_index: index, item: begun }),
      this.#make('function_call_arguments.delta', { ...place, delta: args }, args.length),
      this.#make('function_call_arguments.done', { ...place, name, arguments: args }),
      this.#make('output_item.done', { output_index: index, item: done }),
    ];
  }

  #make(type: string, fields: object, weight = 1): ResponseEvent {
    this.#count += weight;
    return { type: `response.${type}`, sequence_number: this.#count - 1, ...fields };
  }

  #itemId(kind: string, index: number): string {
    return `${kind}_${this.#id.slice('resp_'.length)}_${index}`;
  }
}

/** The rest of an event behind the number `after`; undefined for none. The last event of a response is always told. */
export function behind(event: ResponseEvent, after: number, isLast: boolean): ResponseEvent | undefined {
  const { sequence_number: number, delta } = event;
  if (number <= after) return isLast ? { ...event, sequence_number: after + 1 } : undefined;
  return delta === undefined ? event : { ...event, delta: delta.slice(-(number - after)) };
}

function placeOf({ id, index }: Message) {
  return { item_id: id, output_index: index, content_index: 0 };
}

function partOf(text: string) {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

function itemOf({ id, text }: Message, status: string) {
  return { id, type: 'message', status, role: 'assistant', content: [partOf(text)] };
}

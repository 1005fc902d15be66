import { parseExactly } from '@agentmesh/proto/exact-json';

/** An event that may be an answer, or of an agent that works beside others. */
export interface MarkedEvent {
  readonly author?: string;
  readonly branch?: string;
  readonly partial?: boolean;
  readonly content?: {
    readonly parts?: readonly { readonly functionResponse?: { readonly id?: string; readonly name?: string } }[];
  };
}

/** An event as JSON, if it may be an answer, or of an agent that works beside others. Others are not parsed. */
export function marked(json: Uint8Array): MarkedEvent | undefined {
  const text = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  if (!text.includes('"functionResponse"') && !text.includes('"branch"')) return undefined;
  return parseExactly(text.toString()) as MarkedEvent;
}

/** Calls that a person or a client has answered with an event: their names by their ids. */
export function answeredCalls(event: MarkedEvent | undefined): ReadonlyMap<string, string> {
  const parts = event?.author === 'user' ? (event.content?.parts ?? []) : [];
  const responses = parts.flatMap(({ functionResponse }) => functionResponse ?? []);
  return new Map(responses.flatMap(({ id, name = '' }) => (typeof id === 'string' ? [[id, name]] : [])));
}

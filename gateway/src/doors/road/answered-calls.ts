import { parseExactly } from '@agentmesh/proto/exact-json';

/** An event that may have answers to calls, or of an agent that works beside others. */
export interface MarkedEvent {
  readonly author?: string;
  readonly branch?: string;
  readonly partial?: boolean;
  readonly content?: { readonly parts?: readonly MarkedPart[] };
  readonly longRunningToolIds?: readonly string[];
}

interface MarkedPart {
  readonly functionCall?: CallName;
  readonly functionResponse?: CallName;
}

interface CallName {
  readonly id?: string;
  readonly name?: string;
}

/** Events with answers to calls, and those of agents that work beside others. */
const streamMarks = ['"functionResponse"', '"branch"'];
/** Events with calls, and those with answers to them. */
export const callMarks = ['"functionCall"', '"functionResponse"'];

/** An event as JSON, if it has one of the marks. Others are not parsed. */
export function marked(json: Uint8Array, marks: readonly string[] = streamMarks): MarkedEvent | undefined {
  const text = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  if (!marks.some((mark) => text.includes(mark))) return undefined;
  return parseExactly(text.toString()) as MarkedEvent;
}

/** Calls that a person or a client has answered with an event: their names by their ids. */
export function answeredCalls(event: MarkedEvent | undefined): ReadonlyMap<string, string> {
  const parts = event?.author === 'user' ? (event.content?.parts ?? []) : [];
  const responses = parts.flatMap(({ functionResponse }) => functionResponse ?? []);
  return new Map(responses.flatMap(({ id, name = '' }) => (typeof id === 'string' ? [[id, name]] : [])));
}

/** Calls of long-running tools that the events of a run, from its beginning on, leave without a response: their names by their ids. */
export function openCalls(events: readonly (MarkedEvent | undefined)[]): ReadonlyMap<string, string> {
  const open = new Map<string, string>();
  for (const { content, longRunningToolIds = [] } of events.filter((event) => event !== undefined)) {
    for (const { functionCall, functionResponse } of content?.parts ?? []) {
      const { id, name = '' } = functionCall ?? {};
      if (id !== undefined && longRunningToolIds.includes(id)) open.set(id, name);
      if (functionResponse?.id !== undefined) open.delete(functionResponse.id);
    }
  }
  return open;
}

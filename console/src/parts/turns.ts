import type { Event, Part } from '@agentmesh/client';

export type FunctionCall = NonNullable<Part['functionCall']>;
export type FunctionResponse = NonNullable<Part['functionResponse']>;

/** Words and actions of one author, in order. */
export interface Turn {
  readonly author: string;
  readonly isUser: boolean;
  readonly events: readonly Event[];
  readonly blocks: readonly Block[];
}

export type Block =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thought'; readonly text: string }
  | { readonly kind: 'error'; readonly text: string }
  | { readonly kind: 'call'; readonly call: FunctionCall; readonly isLong: boolean }
  | { readonly kind: 'file'; readonly name: string; readonly type: string; readonly data: string | undefined };

export const confirmation = 'adk_request_confirmation';

/** Groups the events of a conversation by author. Responses to calls are found with `responsesOf`. */
export function turnsOf(events: readonly Event[]): readonly Turn[] {
  const turns: { author: string; isUser: boolean; events: Event[]; blocks: Block[] }[] = [];
  for (const event of events) {
    const blocks = blocksOf(event);
    if (blocks.length === 0) continue;
    const last = turns.at(-1);
    const isUser = event.author === 'user';
    const goesOn = last?.author === event.author && (!isUser || last.events[0]?.invocationId === event.invocationId);
    if (last !== undefined && goesOn) {
      last.events.push(event);
      last.blocks.push(...blocks);
    } else {
      turns.push({ author: event.author, isUser, events: [event], blocks });
    }
  }
  return turns;
}

/** Responses by the id of their calls. */
export function responsesOf(events: readonly Event[]): ReadonlyMap<string, FunctionResponse> {
  const found = events.flatMap(({ content, actions }) => {
    // The answer of a call that needs approval only says so.
    const asked = actions?.requestedToolConfirmations ?? {};
    return (content?.parts ?? []).flatMap(({ functionResponse: one }) =>
      one && !((one.id ?? '') in asked) ? one : [],
    );
  });
  return new Map(found.map((response) => [response.id ?? '', response]));
}

/** Ids of the calls whose approval nobody has answered. */
export function unapprovedOf(events: readonly Event[]): ReadonlySet<string> {
  const answered = responsesOf(events);
  const calls = events.flatMap(({ content }) =>
    (content?.parts ?? []).flatMap(({ functionCall }) => functionCall ?? []),
  );
  const asking = calls.filter(({ id, name }) => name === confirmation && !answered.has(id ?? ''));
  return new Set(asking.map(({ args }) => (args?.['originalFunctionCall'] as FunctionCall | undefined)?.id ?? ''));
}

function blocksOf(event: Event): Block[] {
  const long = new Set(event.longRunningToolIds ?? []);
  const blocks = (event.content?.parts ?? []).flatMap((part) => blockOf(part, long));
  const { errorCode, errorMessage } = event;
  const error = errorMessage ?? errorCode ?? '';
  return error === '' ? blocks : [...blocks, { kind: 'error', text: error }];
}

function blockOf({ text, thought, functionCall, inlineData, fileData }: Part, long: ReadonlySet<string>): Block[] {
  if (typeof text === 'string' && text !== '') return [{ kind: thought === true ? 'thought' : 'text', text }];
  if (functionCall) return [{ kind: 'call', call: functionCall, isLong: long.has(functionCall.id ?? '') }];
  const file = inlineData ?? fileData;
  if (!file) return [];
  const data = inlineData?.data ?? undefined;
  return [{ kind: 'file', name: file.displayName ?? '', type: file.mimeType ?? '', data }];
}

import type { EventJson } from '@agentmesh/proto/event';
import { type Context, unary } from '../../context.ts';
import { invalidInput } from './invalid-input.ts';
import type { Message, RunAgentInput } from './run-input.ts';
import type { ThreadKey } from './thread.ts';
import { textOf } from './user-message.ts';

/** The call with which a tool asks for approval. */
export const confirmation = 'adk_request_confirmation';

interface Answer {
  readonly id: string;
  readonly place: readonly (string | number)[];
  readonly isCancelled: boolean;
  readonly value: unknown;
}

/** The message of the mesh that answers calls, made of resume entries and of tool messages of the page. */
export async function answerParts(
  { sessions }: Pick<Context, 'sessions'>,
  session: ThreadKey,
  { input, answers }: { readonly input: RunAgentInput; readonly answers: readonly Message[] },
) {
  const given = [...answers.map((message) => ofMessage(message, input)), ...(input.resume ?? []).map(ofResume)];
  // A page may answer a call in both ways.
  const all = [...new Map(given.map((answer) => [answer.id, answer])).values()];
  const names = namesIn(input.messages);
  if (all.some(({ id }) => !names.has(id))) await findNames(sessions, session, names);
  return all.map((answer) => {
    const { id, place } = answer;
    const name = names.get(id);
    if (name === undefined) throw invalidInput(place, `the thread has no call '${id}'`);
    return { functionResponse: { id, name, response: responseOf(name, answer) } };
  });
}

function ofResume({ interruptId: id, status, payload }: NonNullable<RunAgentInput['resume']>[number], index: number) {
  return { id, place: ['resume', index, 'interruptId'], isCancelled: status === 'cancelled', value: payload };
}

function ofMessage(message: Message, { messages }: RunAgentInput): Answer {
  const place = ['messages', messages.indexOf(message), 'toolCallId'];
  const { toolCallId: id, content, error } = message;
  if (typeof id !== 'string' || id === '') throw invalidInput(place, 'a tool message names its call');
  return { id, place, isCancelled: false, value: error ? { error } : parsed(textOf(content)) };
}

/** Names of the calls that the page knows, by their ids. */
function namesIn(messages: readonly Message[]): Map<string, string> {
  const calls = messages.flatMap(({ toolCalls }) => toolCalls ?? []);
  return new Map(calls.map(({ id, function: { name } }) => [id, name]));
}

/** Adds the names of the newest calls of the session, for pages that do not send what was said before. */
async function findNames(
  { listEvents }: Context['sessions'],
  session: ThreadKey,
  names: Map<string, string>,
): Promise<void> {
  const { events } = await listEvents({ session, newestFirst: true }, unary);
  for (const { json } of events) {
    const { content } = JSON.parse(Buffer.from(json).toString()) as EventJson;
    for (const { functionCall } of (content?.parts ?? []) as readonly CallPart[])
      if (functionCall?.id !== undefined && !names.has(functionCall.id)) names.set(functionCall.id, functionCall.name);
  }
}

interface CallPart {
  readonly functionCall?: { readonly id?: string; readonly name: string };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function responseOf(name: string, { isCancelled, value }: Answer): Record<string, unknown> {
  if (name === confirmation) return isCancelled ? { confirmed: false } : approval(value);
  if (isCancelled) return { error: 'The user has cancelled this.' };
  return isMap(value) ? value : { result: value ?? null };
}

/** AG-UI's pages send `approved`, those that know ADK `confirmed`. Only `true` approves. */
function approval(value: unknown): Record<string, unknown> {
  if (!isMap(value)) return { confirmed: value === true };
  const { approved, confirmed, ...others } = value;
  return { ...others, confirmed: confirmed === true || (confirmed === undefined && approved === true) };
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

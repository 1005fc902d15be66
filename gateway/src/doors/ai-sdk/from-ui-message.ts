import type { Static } from 'typebox';
import { BadRequest } from '../../edge/errors/request-error.ts';
import type { Content, Part } from '../../edge/records/content.ts';
import { readBase64 } from '../../edge/validation/index.ts';
import type { ChatRequest, UiMessage, UiPart } from './chat-record.ts';

/** A message of the user, as the mesh has it. */
export interface UserMessage {
  readonly id: string;
  /** Its place in the chat. */
  readonly index: number;
  readonly content: Static<typeof Content>;
}

/** The page's answer to a call: an approval, or the output of a tool. The calls of tools that the mesh has called itself are among them. */
export interface Answer {
  /** Id of the call that a run may wait for. */
  readonly id: string;
  readonly response: object;
}

/** The answers in a message of the app. Its id is that of its run. */
export interface MessageAnswers {
  readonly runId: string;
  readonly answers: readonly Answer[];
}

/** The newest message of the user. The session has those before. Throws 400 when there is none, and for files that cannot be sent. */
export function newestMessage({ messages }: ChatRequest): UserMessage {
  const index = messages.findLastIndex(({ role }) => role === 'user');
  const message = messages[index];
  if (message === undefined) throw new BadRequest('messages: There is no message of the user to send.');
  const parts = message.parts.flatMap((part, place) => partsOf(part, `messages.${index}.parts.${place}`));
  if (parts.length === 0) throw new BadRequest(`messages.${index}: The message has neither a text nor a file.`);
  return { id: message.id ?? '', index, content: { role: 'user', parts } };
}

const dataHead = /^data:([^,;]*)(?:;[^,;]*)*;base64,/;
/** Most characters of an address in which the head of its data is looked for. */
const longestHead = 1_000;

function partsOf({ type, text, url: address, mediaType }: UiPart, place: string): Static<typeof Part>[] {
  if (type === 'text') return text ? [{ text }] : [];
  if (type !== 'file') return [];
  const url = address ?? '';
  const [head, declared = ''] = dataHead.exec(url.slice(0, longestHead)) ?? [];
  const mimeType = mediaType || declared || 'application/octet-stream';
  if (head !== undefined) return [{ inlineData: { data: bytesOf(url.slice(head.length), place), mimeType } }];
  if (/^(https?|gs):/.test(url)) return [{ fileData: { fileUri: url, mimeType } }];
  throw new BadRequest(
    `${place}: The url of a file is a data: URL in base64, or an address that begins with https:, http: or gs:.`,
  );
}

function bytesOf(base64: string, place: string): string {
  const reading = readBase64(base64);
  if ('fault' in reading) throw new BadRequest(`${place}: The file is not valid base64. ${reading.fault}`);
  return reading.value;
}

/** The answers to calls in the message that is sent: an older one where `messageId` names it, as after an approval of an earlier answer, else the last one. */
export function answersIn({ messages, messageId, trigger }: ChatRequest): MessageAnswers {
  const sent = messages.find(({ id }) => id !== undefined && id === messageId) ?? messages.at(-1);
  const isAnswer = trigger !== 'regenerate-message' && sent?.role === 'assistant';
  return { runId: sent?.id ?? '', answers: isAnswer ? sent.parts.flatMap(answerOf) : [] };
}

function answerOf({ state, approval, toolCallId, output, errorText }: UiMessage['parts'][number]): Answer[] {
  if (state === 'approval-responded' && approval) {
    const { id, approved, reason } = approval;
    return [{ id, response: { confirmed: approved === true, ...(reason && { payload: { reason } }) } }];
  }
  if (!toolCallId) return [];
  if (state === 'output-error') return [{ id: toolCallId, response: { error: errorText ?? 'The tool failed.' } }];
  if (state !== 'output-available') return [];
  const isMap = typeof output === 'object' && output !== null && !Array.isArray(output);
  return [{ id: toolCallId, response: isMap ? output : { result: output ?? null } }];
}

import { randomUUID } from 'node:crypto';
import { type Message, type Part as A2aPart, Role } from '@a2a-js/sdk';
import type { Event } from '@google/adk/core';
import type { FunctionResponse, Part } from '@google/genai';
import { contextKey, lastOf, questionName, taskKey } from './last-answer.ts';

/** Most bytes of texts and files in one message. */
const mostBytes = 1024 * 1024;

/**
 * The message for a remote agent: all that was said since its last answer. It goes on with the conversation of that answer, and with its
 * task when the task waits for input.
 */
export function toMessage(events: readonly Event[], agentName: string): Message {
  const { answer, conversation } = lastOf(events, agentName);
  const { [contextKey]: contextId, [taskKey]: taskId } = events[conversation]?.customMetadata ?? {};
  const parts = events.slice(answer + 1).flatMap((event) => partsOf(event));
  return {
    messageId: randomUUID(),
    role: Role.ROLE_USER,
    contextId: typeof contextId === 'string' ? contextId : '',
    taskId: typeof taskId === 'string' ? taskId : '',
    parts: newestWithin(parts, mostBytes),
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

/** Texts of other agents are marked with their names. */
function partsOf({ author, content, partial }: Event): A2aPart[] {
  if (partial === true) return [];
  const isUser = author === 'user';
  return (content?.parts ?? []).flatMap((part) => toA2aPart(part, isUser ? '' : `[${author}] said: `) ?? []);
}

function toA2aPart({ functionResponse, ...part }: Part, prefix: string): A2aPart | undefined {
  const { text = textOf(functionResponse), thought, inlineData, fileData } = part;
  const rest = { metadata: undefined, filename: '', mediaType: inlineData?.mimeType ?? fileData?.mimeType ?? '' };
  if (text !== undefined && text !== '' && thought !== true) {
    return { ...rest, content: { $case: 'text', value: prefix + text } };
  }
  if (inlineData?.data !== undefined) {
    return { ...rest, content: { $case: 'raw', value: Buffer.from(inlineData.data, 'base64') } };
  }
  return fileData?.fileUri === undefined ? undefined : { ...rest, content: { $case: 'url', value: fileData.fileUri } };
}

/** The user's answer to a question of the agent, which may stand in an object like that of a tool. */
function textOf(answer: FunctionResponse | undefined): string | undefined {
  if (answer?.name !== questionName) return undefined;
  const { response = {} } = answer;
  const [only, ...others] = Object.values(response);
  return typeof only === 'string' && others.length === 0 ? only : JSON.stringify(response);
}

function newestWithin(parts: readonly A2aPart[], most: number): A2aPart[] {
  let bytes = 0;
  const first = parts.findLastIndex(({ content }) => {
    bytes += content?.$case === 'raw' ? content.value.byteLength : Buffer.byteLength(String(content?.value ?? ''));
    return bytes > most;
  });
  return parts.slice(first + 1);
}

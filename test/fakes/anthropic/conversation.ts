import { demand, demandKeys, type Fields, isObject } from '../demand.ts';
import { checkBlock } from './blocks.ts';

export interface Message {
  readonly role: 'user' | 'assistant';
  readonly blocks: readonly Fields[];
}

/**
 * Refuses messages unless a user begins, roles alternate, each tool call of the assistant has its result at the start of the
 * next message, and each result has its call.
 */
export function readConversation(messages: unknown): Message[] {
  demand(Array.isArray(messages), 'messages: Field required');
  demand(messages.length > 0, 'messages: at least one message is required');
  const read = messages.map(readMessage);
  demand(read[0]?.role === 'user', 'messages: first message must use the "user" role');
  const sameAgain = read.findIndex(({ role }, index) => role === read[index - 1]?.role);
  demand(sameAgain === -1, `messages: roles must alternate between "user" and "assistant" (messages.${sameAgain})`);
  for (const [index, message] of read.entries()) checkAnswers(message, read[index - 1], index);
  demand(
    callIds(read.at(-1)).length === 0,
    'messages: the last message has `tool_use` ids without `tool_result` blocks',
  );
  return read;
}

function readMessage(message: unknown, index: number): Message {
  const at = `messages.${index}`;
  demand(isObject(message), `${at}: Input should be a valid dictionary`);
  demandKeys(message, 'role content', (key) => `${at}.${key}: Extra inputs are not permitted`);
  const { role, content } = message;
  demand(role === 'user' || role === 'assistant', `${at}.role: Input should be 'user' or 'assistant'`);
  const blocks: unknown = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  demand(Array.isArray(blocks), `${at}.content: Field required`);
  demand(blocks.length > 0, `${at}: all messages must have non-empty content`);
  return { role, blocks: blocks.map((block, place) => checkBlock(block, { role, at: `${at}.content.${place}` })) };
}

function checkAnswers({ blocks }: Message, before: Message | undefined, index: number): void {
  const open = callIds(before);
  const answers = blocks.filter(({ type }) => type === 'tool_result').map((block) => block['tool_use_id']);
  const stray = answers.find((id) => !open.includes(id));
  const unexpected = `messages.${index}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${String(stray)}`;
  demand(stray === undefined && new Set(answers).size === answers.length, unexpected);
  const head = blocks.slice(0, open.length).map((block) => block['tool_use_id']);
  const missing = open.filter((id) => !head.includes(id));
  const unanswered =
    `messages.${index - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ` +
    missing.join(', ');
  demand(missing.length === 0, unanswered);
}

function callIds(message: Message | undefined): unknown[] {
  return (message?.blocks ?? []).filter(({ type }) => type === 'tool_use').map(({ id }) => id);
}

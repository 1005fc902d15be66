import { randomUUID } from 'node:crypto';
import {
  DefaultChatTransport,
  type DynamicToolUIPart,
  readUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
} from 'ai';
import { Caller } from '../../caller.ts';

/** A personal token of an account. */
export async function tokenOf(account: Caller, fields: object): Promise<Caller> {
  const made = await account.request<{ token: string }>('POST', '/api/auth/tokens', { name: 'chat', ...fields });
  return new Caller(account.url, made.body.token);
}

/** A message of the user. */
export const says = (text: string, ...files: UIMessage['parts']): UIMessage => ({
  id: randomUUID(),
  role: 'user',
  parts: [{ type: 'text', text }, ...files],
});

interface ChatOptions {
  readonly app?: string;
  /** `body` of the transport. */
  readonly body?: object;
  readonly chatId?: string;
}

/** A chat as the AI SDK's own transport has it. */
export function openChat(caller: Caller, { app = 'echo', body = {}, chatId = randomUUID() }: ChatOptions = {}) {
  const headers = { authorization: `Bearer ${caller.token ?? ''}` };
  const transport = new DefaultChatTransport<UIMessage>({ api: `${caller.url}/api/chat/${app}`, headers, body });
  const ask = (messages: UIMessage[], over: object = {}) =>
    transport.sendMessages({
      trigger: 'submit-message',
      chatId,
      messageId: undefined,
      messages,
      abortSignal: undefined,
      ...over,
    });
  const send = async (messages: UIMessage[], over: object = {}) => messageOf(await ask(messages, over));
  return { transport, chatId, ask, send };
}

/** The message that the AI SDK makes of a stream. */
export async function messageOf(
  stream: ReadableStream<UIMessageChunk> | null,
  message?: UIMessage,
): Promise<UIMessage> {
  if (stream === null) throw new Error('there is no stream');
  let latest: UIMessage | undefined;
  let error: Error | undefined;
  const onError = (one: unknown) => (error = one as Error);
  for await (const state of readUIMessageStream({ stream, onError, ...(message && { message }) })) latest = state;
  if (error !== undefined) throw error;
  return latest as UIMessage;
}

export async function chunksOf(stream: ReadableStream<UIMessageChunk>): Promise<UIMessageChunk[]> {
  const chunks: UIMessageChunk[] = [];
  for await (const chunk of stream as unknown as AsyncIterable<UIMessageChunk>) chunks.push(chunk);
  return chunks;
}

export const textsOf = (message: UIMessage) =>
  message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
export const toolsOf = (message: UIMessage): DynamicToolUIPart[] =>
  message.parts.filter((part) => part.type === 'dynamic-tool');

/** The message with an answer to its approvals, as `addToolApprovalResponse` makes it. */
export function answered(message: UIMessage, isApproved: boolean): UIMessage {
  const parts = message.parts.map((part) =>
    part.type === 'dynamic-tool' && part.state === 'approval-requested'
      ? { ...part, state: 'approval-responded', approval: { ...part.approval, approved: isApproved } }
      : part,
  );
  return { ...message, parts: parts as UIMessage['parts'] };
}

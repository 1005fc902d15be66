import { randomUUID } from 'node:crypto';
import { AgentMesh } from '@agentmesh/client';
import { MeshChatTransport } from '@agentmesh/client/ai';
import { Chat } from '@ai-sdk/react';
import {
  lastAssistantMessageIsCompleteWithToolCalls,
  readUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
} from 'ai';
import { beforeAll, expect, inject, test } from 'vitest';
import { newAccount } from '../../caller.ts';

const url = inject('meshUrl');
let mesh: AgentMesh;

beforeAll(async () => {
  mesh = new AgentMesh({ url, token: (await newAccount(url)).token ?? '' });
});

const says = (text: string, ...files: UIMessage['parts']): UIMessage => ({
  id: randomUUID(),
  role: 'user',
  parts: [{ type: 'text', text }, ...files],
});

/** The message that the AI SDK makes of a stream. */
async function messageOf(stream: ReadableStream<UIMessageChunk> | null, message?: UIMessage): Promise<UIMessage> {
  let latest: UIMessage | undefined;
  for await (const state of readUIMessageStream({
    stream: stream as ReadableStream<UIMessageChunk>,
    ...(message && { message }),
  }))
    latest = state;
  return latest as UIMessage;
}

function chatOf(app = 'echo') {
  const transport = new MeshChatTransport({ mesh, app, user: 'u1' });
  const chatId = randomUUID();
  const send = (messages: UIMessage[], abortSignal?: AbortSignal) =>
    transport.sendMessages({ trigger: 'submit-message', chatId, messageId: undefined, messages, abortSignal });
  return { transport, chatId, send };
}

const textsOf = (message: UIMessage) => message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));

const isTool = ({ type }: UIMessage['parts'][number]) => type === 'dynamic-tool';

/** The message as `addToolOutput` makes it. */
function withOutput(message: UIMessage, output: object): UIMessage {
  const parts = message.parts.map((part) => (isTool(part) ? { ...part, ...output } : part));
  return { ...message, parts };
}

async function statusesOf(session: string) {
  const { items } = await mesh.runs.list({ app: 'echo', user: 'u1', session }).page();
  return items.map(({ status }) => status);
}

test('a chat is a session, and each of its messages a run that is answered word by word', async () => {
  const { chatId, send } = chatOf();
  const first = says('Hello, mesh');
  const answer = await messageOf(await send([first]));
  expect(textsOf(answer)).toEqual(['Hello, mesh']);
  await messageOf(await send([first, answer, says('again')]));
  const { events } = await mesh.sessions.get({ app: 'echo', user: 'u1', session: chatId });
  expect(events?.map(({ author }) => author)).toEqual(['user', 'echo', 'user', 'echo']);
});

test('a page that is loaded again in mid-answer gets the whole of it, and stop cancels the run', async () => {
  const { transport, chatId, send } = chatOf();
  const stopping = new AbortController();
  const stream = await send([says('first [[wait:60000]] second')], stopping.signal);
  const reader = stream.getReader();
  for (let said = ''; !said.includes('first'); ) {
    const { value } = await reader.read();
    if (value?.type === 'text-delta') said += value.delta;
  }
  const again = messageOf(await transport.reconnectToStream({ chatId }));
  stopping.abort();
  expect(textsOf(await again).join('')).toContain('first');
  const { items } = await mesh.runs.list({ app: 'echo', user: 'u1', session: chatId }).page();
  expect(items.map(({ status }) => status)).toEqual(['cancelled']);
  expect(await transport.reconnectToStream({ chatId })).toBeNull();
});

test('an approval is asked for and answered in the chat, and the run goes on in its message', async () => {
  const { send } = chatOf('approve');
  const question = says('[[state:paid=yes]]');
  const asking = await messageOf(await send([question]));
  const call = asking.parts.find((part) => part.type === 'dynamic-tool');
  expect(call).toMatchObject({ toolName: 'set_state', state: 'approval-requested' });
  const approved = asking.parts.map((part) =>
    part === call && 'approval' in part
      ? { ...part, state: 'approval-responded', approval: { ...part.approval, approved: true } }
      : part,
  ) as UIMessage['parts'];
  const answer = await messageOf(await send([question, { ...asking, parts: approved }]), {
    ...asking,
    parts: approved,
  });
  expect(answer.id).toBe(asking.id);
  expect(answer.parts.find((part) => part.type === 'dynamic-tool')).toMatchObject({ state: 'output-available' });
});

test('the output of a tool that the run waits for is its answer, and no other run starts', async () => {
  const { chatId, send } = chatOf();
  const question = says('[[tool:request_input {"message":"Which date?"}]]');
  const asking = await messageOf(await send([question]));
  const given = withOutput(asking, { state: 'output-available', output: '1 May' });
  const answer = await messageOf(await send([question, given]), given);
  expect(answer.id).toBe(asking.id);
  expect(answer.parts.find(isTool)).toMatchObject({ state: 'output-available', output: { result: '1 May' } });
  expect(await statusesOf(chatId)).toEqual(['completed']);
  // The run waits no more.
  await expect(send([question, given])).rejects.toThrow('The chat waits for no answer any more.');
  expect(await statusesOf(chatId)).toEqual(['completed']);
});

test('a tool that failed in the page is answered with its error', async () => {
  const { chatId, send } = chatOf();
  const question = says('[[tool:request_input {"message":"Which date?"}]]');
  const asking = await messageOf(await send([question]));
  const failed = withOutput(asking, { state: 'output-error', errorText: 'no calendar' });
  const answer = await messageOf(await send([question, failed]), failed);
  expect(answer.parts.find(isTool)).toMatchObject({ state: 'output-error', errorText: 'no calendar' });
  expect(await statusesOf(chatId)).toEqual(['completed']);
});

test('a finished answer with tools is not sent again', async () => {
  const { transport, chatId } = chatOf();
  let sent = 0;
  const chat = new Chat<UIMessage>({
    id: chatId,
    transport,
    sendAutomaticallyWhen: (state) => lastAssistantMessageIsCompleteWithToolCalls(state) && ++sent < 2,
  });
  await chat.sendMessage({ text: '[[state:mine=1]] noted' });
  expect(textsOf(chat.messages.at(-1) as UIMessage).join('')).toContain('noted');
  expect([sent, chat.status, chat.error]).toEqual([0, 'ready', undefined]);
  const { items } = await mesh.runs.list({ app: 'echo', user: 'u1', session: chatId }).page();
  expect(items.map(({ status }) => status)).toEqual(['completed']);
});

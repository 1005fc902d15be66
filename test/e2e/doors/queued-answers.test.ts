import { randomUUID } from 'node:crypto';
import type { Part } from '@a2a-js/sdk';
import type { UIMessage } from 'ai';
import { beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { type Caller, newAccount, runBody, type SessionJson } from '../../caller.ts';
import { clientOf, send, textPart } from './a2a-client.ts';
import { answered, messageOf, openChat, says, toolsOf } from './chat-client.ts';
import { call, post, toldBy } from './mcp-clients.ts';

let caller: Caller;
let headers: { readonly 'idempotency-key': string };

beforeAll(async () => {
  caller = await newAccount(inject('meshUrl'));
});
beforeEach(() => void (headers = { 'idempotency-key': randomUUID() }));

type Run = Record<string, unknown> & { readonly invocationId: string; readonly status: string };

const sessionOf = (appName: string, id: string): SessionJson => ({ appName, userId: 'user', id }) as SessionJson;
const statusOf = async (id: string) => (await caller.request<Run>('GET', `/runs/${id}`)).body.status;

/** Lets another run of the session work, behind which answers have to wait. Returns its end. */
async function occupy(session: SessionJson): Promise<() => Promise<unknown>> {
  const { body } = await caller.request<Run>('POST', '/runs', runBody(session, '[[wait:60000]]'));
  await expect.poll(() => statusOf(body.invocationId)).toBe('running');
  return () => caller.request('POST', `/runs/${body.invocationId}/cancel`, {});
}

test('an answer through the AI SDK that is still in the queue is answered again when it is repeated with its key', async () => {
  const { ask, send: say, chatId } = openChat(caller, { app: 'approve' });
  const question = says('[[state:paid=yes]]');
  const asking = await say([question]);
  const approved = answered(asking, true);
  const free = await occupy(sessionOf('approve', chatId));
  const answer = () => ask([question, approved], { headers, messageId: asking.id });
  const streams = [await answer(), await answer()];
  expect(await statusOf(asking.id)).toBe('queued');
  await free();
  const [first, second] = await Promise.all(streams.map((stream) => messageOf(stream, structuredClone(approved))));
  expect(toolsOf(first as UIMessage)).toMatchObject([{ state: 'output-available', output: { value: 'yes' } }]);
  expect(second).toEqual(first);
});

test('an answer through the AI SDK beside one that the run has had already is repeated while it is in the queue', async () => {
  const { ask, send: say, chatId } = openChat(caller, { app: 'echo' });
  const question = says('[[tool:request_input {"message":"a"}]] [[tool:request_input {"message":"b"}]]');
  const asking = await say([question]);
  const given = (message: UIMessage, count: number) => {
    let left = count;
    const parts = message.parts.map((part) =>
      part.type === 'dynamic-tool' && left-- > 0 ? { ...part, state: 'output-available', output: { done: 1 } } : part,
    );
    return { ...message, parts: parts as UIMessage['parts'] };
  };
  const half = given(asking, 1);
  const waits = await messageOf(await ask([question, half], { messageId: asking.id }), structuredClone(half));
  expect(toolsOf(waits).map(({ state }) => state)).toEqual(['output-available', 'input-available']);
  const free = await occupy(sessionOf('echo', chatId));
  const whole = given(waits, 2);
  const answer = () => ask([question, whole], { headers, messageId: asking.id });
  const streams = [await answer(), await answer()];
  expect(await statusOf(asking.id)).toBe('queued');
  await free();
  const [first, second] = await Promise.all(streams.map((stream) => messageOf(stream, structuredClone(whole))));
  expect(first?.metadata).toMatchObject({ status: 'completed' });
  expect(second).toEqual(first);
});

test('an answer through MCP is answered again when it is repeated with its key, in the queue and when it was cancelled there', async () => {
  const approve = async (args: object) => {
    const message = { ...call(1), params: { name: 'approve', arguments: args } };
    const { text } = await post(caller, message, { headers: 'answer' in args ? headers : {} });
    return JSON.parse(/^data: (.*"result".*)$/m.exec(text)?.[1] ?? text) as { result: object };
  };
  const { run_id, session_id, waiting_for } = toldBy((await approve({ message: '[[state:paid=yes]]' })).result);
  const free = await occupy(sessionOf('approve', session_id));
  const answer = { run_id, call_id: waiting_for?.[0]?.call_id, response: { confirmed: true } };
  const first = approve({ answer });
  await expect.poll(() => statusOf(run_id)).toBe('queued');
  const second = approve({ answer });
  await caller.request('POST', `/runs/${run_id}/cancel`, {});
  expect(toldBy((await first).result)).toMatchObject({ status: 'cancelled', run_id });
  expect([await second, await approve({ answer })]).toEqual([await first, await first]);
  await free();
});

test('an answer through A2A that names no function is answered again when it is repeated with its key in the queue', async () => {
  const client = await clientOf(caller, 'approve', headers);
  const asks = await clientOf(caller, 'approve');
  const { id: taskId, contextId } = await send(asks, '[[state:paid=yes]]');
  const session = sessionOf('approve', contextId);
  const { body } = await caller.request<Run & { waitingFor: { functionCallId: string }[] }>('GET', `/runs/${taskId}`);
  const value = { id: body.waitingFor[0]?.functionCallId, response: { confirmed: true } };
  const metadata = { adk_type: 'function_response' };
  const part: Part = { ...textPart(''), content: { $case: 'data', value }, metadata };
  const free = await occupy(session);
  const answer = () => send(client, [part], { taskId, contextId, now: true });
  const [first, second] = [await answer(), await answer()];
  expect(await statusOf(taskId)).toBe('queued');
  expect([second.id, second.status?.state]).toEqual([first.id, first.status?.state]);
  await free();
  await expect.poll(() => statusOf(taskId)).toBe('completed');
  const { state, events } = await caller.readSession(session);
  expect(state).toEqual({ paid: 'yes' });
  expect(JSON.stringify(events).match(/"confirmed":true/g)).toHaveLength(1);
});

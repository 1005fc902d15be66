import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Part, Role, type StreamResponse, type Task, TaskState } from '@a2a-js/sdk';
import type { Message as OldMessage } from '@a2a-js/sdk-0.3';
import { A2AClient } from '@a2a-js/sdk-0.3/client';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type Caller, newAccount, textOf } from '../../caller.ts';
import {
  answerOf,
  cardPath,
  type Client,
  clientOf,
  dataIn,
  fetchOf,
  fold,
  request,
  send,
  textPart,
  words,
} from './a2a-client.ts';

const url = inject('meshUrl');
let caller: Caller;
beforeAll(async () => {
  caller = await newAccount(url);
});

describe('the client of version 1.0', () => {
  test('gets an answer from the app of a card, and its task again from the ledger', async () => {
    const client = await clientOf(caller, 'echo');
    const task = await send(client, 'Hello, mesh');
    expect([task.status?.state, answerOf(task)]).toEqual([TaskState.TASK_STATE_COMPLETED, 'Hello, mesh']);
    const again = await client.getTask({ tenant: '', id: task.id });
    expect(again).toMatchObject({ id: task.id, contextId: task.contextId, artifacts: task.artifacts });
    expect(again.history.map(({ role, parts }) => [role, words(parts)])).toEqual([[Role.ROLE_USER, 'Hello, mesh']]);
    const short = await client.getTask({ tenant: '', id: task.id, historyLength: 0 });
    expect(short.history).toEqual([]);
    const run = await caller.request('GET', `/runs/${task.id}`);
    expect(run.body).toMatchObject({ appName: 'echo', userId: 'user', sessionId: task.contextId, status: 'completed' });
  });

  test('gets each word of a streamed answer once, as it is said', async () => {
    const client = await clientOf(caller, 'echo');
    const { task, states, deltas } = await fold(client.sendMessageStream(request('[[wait:1000]]one two three')));
    expect(deltas.at(0)).toBe('one ');
    // The last words may come with the whole text, which takes the place of those before.
    expect('one two three'.startsWith(deltas.join(''))).toBe(true);
    expect(answerOf(task)).toBe('one two three');
    expect(states.at(0)).toBe(TaskState.TASK_STATE_SUBMITTED);
    expect(states.at(-1)).toBe(TaskState.TASK_STATE_COMPLETED);
  });

  test('goes on in the session that is the context', async () => {
    const client = await clientOf(caller, 'echo');
    const contextId = randomUUID();
    await send(client, 'first', { contextId, user: 'ada' });
    await send(client, 'second', { contextId, user: 'ada' });
    const { events } = await caller.readSession({ appName: 'echo', userId: 'ada', id: contextId } as never);
    expect(events.map(textOf)).toEqual(['first', 'first', 'second', 'second']);
  });

  test('sees calls of tools and their results as data of the working task', async () => {
    const client = await clientOf(caller, 'echo');
    const { task, said } = await fold(client.sendMessageStream(request('[[state:color=blue]]done')));
    expect(dataIn(said)).toMatchObject([{ name: 'set_state' }, { name: 'set_state', response: { value: 'blue' } }]);
    expect(answerOf(task)).toContain('done');
  });
});

describe('a task that waits for a person', () => {
  const ask = async (client: Client) => {
    const { task, said } = await fold(client.sendMessageStream(request('[[state:paid=yes]]')));
    expect(task.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect(words(task.status?.message?.parts)).toContain('Approve the call of set_state');
    const [call] = dataIn(task.status?.message?.parts);
    expect(call).toMatchObject({
      name: 'adk_request_confirmation',
      args: { originalFunctionCall: { name: 'set_state' } },
    });
    expect(dataIn(said)).toContainEqual(call);
    return { task, call: call as { readonly id: string; readonly name: string } };
  };
  const stateOf = async ({ contextId: id }: Task) =>
    (await caller.readSession({ appName: 'approve', userId: 'user', id } as never)).state;

  test('asks again when the text is neither yes nor no, and goes on with a yes', async () => {
    const client = await clientOf(caller, 'approve');
    const { task } = await ask(client);
    const again = await send(client, 'why?', { taskId: task.id });
    expect(again.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect(words(again.status?.message?.parts)).toContain('This answers no call');
    expect(await stateOf(task)).toEqual({});
    const over = await fold(client.sendMessageStream(request('Yes.', { taskId: task.id, contextId: task.contextId })));
    expect([over.task.id, over.task.status?.state]).toEqual([task.id, TaskState.TASK_STATE_COMPLETED]);
    expect(over.states).not.toContain(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect(await stateOf(task)).toMatchObject({ paid: 'yes' });
  });

  test("goes on with the function response that ADK's clients send, also with a no", async () => {
    const client = await clientOf(caller, 'approve');
    const { task, call } = await ask(client);
    const value = { ...call, args: undefined, response: { confirmed: false } };
    const part: Part = {
      ...textPart(''),
      content: { $case: 'data', value },
      metadata: { adk_type: 'function_response' },
    };
    const over = await send(client, [part], { taskId: task.id });
    expect(over.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(await stateOf(task)).toEqual({});
    await expect(send(client, 'more', { taskId: task.id })).rejects.toThrow('takes no message any more');
  });

  test('takes a text as the answer to a question', async () => {
    const client = await clientOf(caller, 'echo');
    const task = await send(client, '[[tool:request_input {"message":"Which colour?"}]]');
    expect(words(task.status?.message?.parts)).toBe('Which colour?');
    const over = await send(client, 'blue', { taskId: task.id });
    expect(answerOf(over)).toContain('{"result":"blue"}');
  });
});

describe('a task that is at work', () => {
  test('is read, gets another message, and is followed by a client that comes later, without a loss', async () => {
    const client = await clientOf(caller, 'echo');
    const begun = await send(client, '[[wait:1500]]slow words', { now: true });
    expect(begun.status?.state).toBe(TaskState.TASK_STATE_SUBMITTED);
    const { id } = begun;
    const working = () => client.getTask({ tenant: '', id });
    await expect.poll(async () => (await working()).status?.state).toBe(TaskState.TASK_STATE_WORKING);
    expect((await working()).history.map(({ parts }) => words(parts))).toEqual(['[[wait:1500]]slow words']);
    const added = await send(client, 'and more', { taskId: id, now: true });
    expect(added.id).toBe(id);
    const { task } = await fold(client.resubscribeTask({ tenant: '', id }));
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(answerOf(task)).toContain('and more');
    const { task: whole } = await fold(client.resubscribeTask({ tenant: '', id }));
    expect(answerOf(whole)).toBe(answerOf(task));
  });

  test('goes on when its client leaves, and ends when it is cancelled', async () => {
    const client = await clientOf(caller, 'echo');
    const leaving = new AbortController();
    const stream = client.sendMessageStream(request('[[wait:60000]]never'), { signal: leaving.signal });
    const { value: first } = await stream.next();
    const { value: task } = (first as StreamResponse).payload as { readonly value: Task };
    const { id } = task;
    leaving.abort();
    await expect(Array.fromAsync(stream)).rejects.toThrow();
    const stateNow = async () => (await client.getTask({ tenant: '', id })).status?.state;
    await expect.poll(stateNow).toBe(TaskState.TASK_STATE_WORKING);
    const cancelled = await client.cancelTask({ tenant: '', id, metadata: undefined });
    expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    await expect(client.cancelTask({ tenant: '', id, metadata: undefined })).rejects.toThrow('is over');
  });
});

test('a task whose model fails has failed, with the text of the mesh', async () => {
  const task = await send(await clientOf(caller, 'echo'), '[[fail:out of paper]]');
  expect([task.status?.state, words(task.status?.message?.parts)]).toEqual([
    TaskState.TASK_STATE_FAILED,
    'out of paper',
  ]);
});

test('a message with the same idempotency key is the task of the first one', async () => {
  const client = await clientOf(caller, 'echo', { 'idempotency-key': randomUUID() });
  const [first, second] = [await send(client, 'once'), await send(client, 'once')];
  expect([second.id, answerOf(second)]).toEqual([first.id, 'once']);
  const { events } = await caller.readSession({ appName: 'echo', userId: 'user', id: first.contextId } as never);
  expect(events).toHaveLength(2);
  await expect(send(client, 'another')).rejects.toThrow('idempotency-key');
});

describe('an app of the mesh whose remote agent is an app of a mesh', () => {
  /** Adds an app that is another one at the other side of the door. */
  const far = async (app: string) => {
    const name = `far_${app}`;
    const { body } = await caller.request<{ token: string }>('POST', '/api/auth/tokens', {
      name,
      scopes: ['runs:read', 'runs:write'],
      user_id: 'remote',
    });
    const folder = join(inject('agentsDir'), name);
    await mkdir(folder, { recursive: true });
    const lines = [
      'agent_class: RemoteA2aAgent',
      `name: ${name}`,
      'description: An app at the other side of the door.',
      `agent_card: ${url}${cardPath(app)}`,
      `headers: { authorization: Bearer ${body.token} }`,
    ];
    await writeFile(join(folder, 'root_agent.yaml'), lines.join('\n'));
    await expect.poll(async () => (await caller.request('GET', '/list-apps')).body).toContain(name);
    return caller.createSession(name);
  };

  test('answers with the words of the other one, in one conversation', async () => {
    const session = await far('echo');
    const { status, body } = await caller.run(session, 'Hello, far mesh');
    expect([status, textOf(body.at(-1))]).toEqual([200, 'Hello, far mesh']);
    const again = await caller.runSse(session, 'and again');
    expect(textOf(again.at(-1))).toBe('and again');
    const sessions = await caller.request<unknown[]>('GET', '/apps/echo/users/remote/sessions');
    expect(sessions.body).toHaveLength(1);
  });

  test('asks its user what the other one asks, and goes on with the answer', async () => {
    const session = await far('approve');
    const { headers } = await caller.run(session, '[[state:paid=yes]]');
    const run = `/runs/${headers.get('x-invocation-id')}`;
    const waiting = await caller.request<{ waitingFor: { functionCallId: string; name: string; args: object }[] }>(
      'GET',
      run,
    );
    const [call] = waiting.body.waitingFor;
    expect(call).toMatchObject({
      name: 'request_input',
      args: { message: expect.stringContaining('Approve the call') },
    });
    const functionResponse = { id: call?.functionCallId, name: call?.name, response: { result: 'yes' } };
    expect((await caller.request('POST', `${run}/answer`, { functionResponse })).status).toBe(202);
    await expect.poll(async () => (await caller.request('GET', run)).body['status']).toBe('completed');
    const sessions = await caller.request<{ state: object }[]>('GET', '/apps/approve/users/remote/sessions');
    expect(sessions.body).toMatchObject([{ state: { paid: 'yes' } }]);
  });
});

test('the client of version 0.3 gets an answer, streamed and not, and its task', async () => {
  const client = await A2AClient.fromCardUrl(url + cardPath('echo'), { fetchImpl: fetchOf(caller) });
  const message = {
    kind: 'message',
    messageId: randomUUID(),
    role: 'user',
    parts: [{ kind: 'text', text: 'Hello, old mesh' }],
  } satisfies OldMessage;
  const answer = await client.sendMessage({ message, configuration: { blocking: true } });
  expect(answer).toMatchObject({
    result: { kind: 'task', status: { state: 'completed' }, artifacts: [{ parts: [{ text: 'Hello, old mesh' }] }] },
  });
  const pieces = await Array.fromAsync(client.sendMessageStream({ message: { ...message, messageId: randomUUID() } }));
  expect(pieces.at(0)).toMatchObject({ kind: 'task', status: { state: 'submitted' } });
  expect(pieces.at(-1)).toMatchObject({ kind: 'status-update', final: true, status: { state: 'completed' } });
  const question = { ...message, messageId: randomUUID(), parts: [{ kind: 'text', text: '[[tool:request_input]]' }] };
  const asked = await Array.fromAsync(client.sendMessageStream({ message: question as OldMessage }));
  expect(asked.at(-1)).toMatchObject({ kind: 'status-update', final: true, status: { state: 'input-required' } });
  const { result } = answer as { result: { id: string } };
  expect(await client.getTask({ id: result.id })).toMatchObject({ result: { id: result.id, kind: 'task' } });
});

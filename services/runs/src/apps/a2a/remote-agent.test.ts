import { createAddressPolicy, createGuardedApiFetch } from '@agentmesh/lib/outbound';
import { AttemptEnd_Outcome } from '@agentmesh/proto/sessions/v1';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type A2aScript, type FakeA2aAgent, startA2aAgent } from '../../../../../test/fakes/a2a-agent.ts';
import { createAgentBench, log } from '../../../test/run-agents.ts';
import { openRemoteLink } from './open-remote-link.ts';
import type { RemoteLinkSpec } from './remote-exchange.ts';
import { RemoteAgent } from './remote-agent.ts';
import { createOpenRemote } from './remote-client.ts';

let resources: AsyncDisposableStack;
let remote: FakeA2aAgent;

beforeEach(async () => {
  resources = new AsyncDisposableStack();
  remote = resources.use(await startA2aAgent());
});
afterEach(async () => {
  await resources.disposeAsync();
  if (remote.mistakes.length > 0) throw new Error(`The client broke rules: ${remote.mistakes.join(', ')}`);
});

function setUp(over: Partial<RemoteLinkSpec> = {}, state = {}, openKey = () => Promise.resolve('key-7')) {
  const policy = createAddressPolicy(['127.0.0.1/32']);
  const { fetch } = resources.use(createGuardedApiFetch({ policy }));
  const deps = { openRemote: createOpenRemote({ fetch, policy }), openKey, log };
  const config = { name: 'far', cardUrl: remote.cardUrl, headers: {}, stateHeaders: {}, timeoutMs: 30_000, ...over };
  return createAgentBench(new RemoteAgent({ name: config.name }, openRemoteLink(config, deps)), { state });
}

const part = (text: string, rest = {}) => ({ text, ...rest });
const task = { taskId: 't1', contextId: 'c1' };
const status = (state: string, ...parts: object[]) => ({
  statusUpdate: {
    ...task,
    status: { state, ...(parts.length > 0 && { message: { messageId: 'm', role: 'ROLE_AGENT', parts } }) },
  },
});
const artifact = (artifactId: string, append: boolean, ...parts: object[]) => ({
  artifactUpdate: { ...task, append, artifact: { artifactId, parts } },
});
const wordsOf = (length: number) => Array.from({ length }, () => artifact('a', true, part('word')));
const textsOf = (events: readonly object[]): unknown[] =>
  events.map((event) =>
    (event as { content?: { parts: { text?: string }[] } }).content?.parts.map(({ text }) => text).join('|'),
  );

test('the words of the user are sent, and the answer is an event of the agent', async () => {
  const { events, failure } = await setUp().run({ text: 'hello' });
  expect(failure).toBeUndefined();
  expect(events).toMatchObject([{ author: 'far', content: { role: 'model', parts: [{ text: 'hello' }] } }]);
});

test('the words of the agent while it works are shown, and the artifacts of its task are stored', async () => {
  remote.scripts.push([
    status('TASK_STATE_WORKING', part('thinking', { metadata: { adk_thought: true } })),
    status('TASK_STATE_WORKING', part('wor')),
    artifact('a', false, part('one')),
    artifact('b', false, part('three'), { data: { x: 1 } }, { data: {}, metadata: { adk_type: 'function_call' } }),
    artifact('a', true, part('two')),
    status('TASK_STATE_COMPLETED'),
  ]);
  const bench = setUp();
  const { events } = await bench.run({ streaming: true });
  expect(textsOf(events)).toEqual(['thinking', 'wor', 'one|two|three|{"x":1}']);
  expect(events.map(({ partial }) => partial)).toEqual([true, true, undefined]);
});

test('an answer that comes in thousands of words is whole', async () => {
  remote.scripts.push([...wordsOf(5_000), status('TASK_STATE_COMPLETED')]);
  const { events } = await setUp().run();
  expect(textsOf(events)).toEqual([Array(5_000).fill('word').join('|')]);
});

test('a conversation goes on with its context, and a task that asks for input with its task', async () => {
  const bench = setUp();
  remote.scripts.push(
    [status('TASK_STATE_INPUT_REQUIRED', part('Which one?'))],
    [status('TASK_STATE_COMPLETED', part('Good.'))],
  );
  expect(textsOf((await bench.run({ text: 'first' })).events)).toEqual(['Which one?|']);
  expect(textsOf((await bench.run({ text: 'second' })).events)).toEqual(['Good.']);
  await bench.run({ text: 'third' });
  expect(remote.messages.map(({ message }) => message)).toMatchObject([
    { parts: [{ text: 'first' }] },
    { parts: [{ text: 'second' }], contextId: 'c1', taskId: 't1' },
    { parts: [{ text: 'third' }], contextId: 'c1' },
  ]);
  expect(remote.messages[2]?.message).not.toHaveProperty('taskId');
});

test('a task that asks for input makes the run wait, and the answer goes on with the task', async () => {
  const bench = setUp();
  remote.scripts.push([status('TASK_STATE_INPUT_REQUIRED', part('Which one?'))]);
  const { events } = await bench.run({ text: 'first' });
  const { end } = bench.sessions.run(bench.key);
  const [call] = JSON.parse(Buffer.from(end?.waitingForJson ?? []).toString()) as { functionCallId: string }[];
  expect(end?.outcome).toBe(AttemptEnd_Outcome.WAITING);
  expect(call).toMatchObject({ name: 'request_input', args: { message: 'Which one?' }, eventId: events[0]?.['id'] });
  const functionResponse = { id: call?.functionCallId ?? '', name: 'request_input', response: { result: 'this' } };
  remote.scripts.push([status('TASK_STATE_COMPLETED', part('Good.'))]);
  const message = { role: 'user', parts: [{ functionResponse }] };
  expect(textsOf((await bench.run({ message })).events)).toEqual(['Good.']);
  expect(remote.messages[1]?.message).toMatchObject({ parts: [{ text: 'this' }], contextId: 'c1', taskId: 't1' });
});

test('a message after a task that failed, or takes no message any more, begins a task of the same conversation', async () => {
  const bench = setUp();
  const question = [status('TASK_STATE_INPUT_REQUIRED', part('Which one?'))];
  remote.scripts.push(question, [status('TASK_STATE_FAILED', part('no'))]);
  for (const text of ['first', 'second', 'third']) await bench.run({ text });
  const gone = { error: { code: -32_001, message: 'Task not found' } };
  remote.scripts.push(question, gone, [status('TASK_STATE_COMPLETED', part('Good.'))]);
  await bench.run({ text: 'fourth' });
  expect(textsOf((await bench.run({ text: 'fifth' })).events)).toEqual(['Good.']);
  const places = remote.messages.map(({ message }) => [message['contextId'], message['taskId']]);
  expect(places).toEqual([
    [undefined, undefined],
    ['c1', 't1'],
    ['c1', undefined],
    ['c1', undefined],
    ['c1', 't1'],
    ['c1', undefined],
  ]);
});

test('headers of the file, of the state and of a saved key are sent', async () => {
  const bench = setUp({ headers: { 'x-a': 'b' }, stateHeaders: { t: 'x-t' }, keyId: 7n }, { t: 'one' });
  await bench.run();
  expect(remote.messages[0]?.headers).toMatchObject({ 'x-a': 'b', 'x-t': 'one', authorization: 'Bearer key-7' });
});

test('a card that names another server gets no headers there', async () => {
  const other = resources.use(await startA2aAgent());
  remote.rpcUrl = other.rpcUrl;
  await setUp({ keyId: 7n, headers: { 'x-a': 'b' } }).run();
  expect(other.messages).toHaveLength(1);
  expect(other.messages[0]?.headers).not.toHaveProperty('authorization');
  expect(other.messages[0]?.headers).not.toHaveProperty('x-a');
});

test('a key that does not come holds up the answer for its time at most', async () => {
  const { events } = await setUp({ keyId: 7n, timeoutMs: 300 }, {}, () => new Promise(() => undefined)).run();
  expect(events).toMatchObject([{ errorCode: 'REMOTE_AGENT_FAILED', errorMessage: expect.stringMatching(/in time/) }]);
});

describe('the run ends as failed, with an event that says why, when the agent', () => {
  test.each<{ does: string; script: A2aScript; message: RegExp }>([
    { does: 'fails', script: [status('TASK_STATE_FAILED', part('no'))], message: /failed. It said: no/ },
    { does: 'rejects', script: [status('TASK_STATE_REJECTED')], message: /was rejected/ },
    { does: 'wants a sign-in', script: [status('TASK_STATE_AUTH_REQUIRED')], message: /sign-in/ },
    {
      does: 'stops before its task is over',
      script: [status('TASK_STATE_WORKING', part('so'))],
      message: /before its task/,
    },
    { does: 'says nothing', script: [], message: /before its task/ },
    { does: 'breaks the connection', script: 'break', message: /could not be reached/ },
    { does: 'never stops answering', script: 'flood', message: /more than 8388608 bytes/ },
    // Each event has two lines.
    { does: 'answers in too many lines', script: wordsOf(10_001), message: /more than 20000 lines/ },
    { does: 'hangs', script: 'hang', message: /in time/ },
  ])('$does', async ({ script, message }) => {
    remote.scripts.push(script);
    const { events } = await setUp(script === 'hang' ? { timeoutMs: 300 } : {}).run();
    expect(events).toMatchObject([
      { author: 'far', errorCode: 'REMOTE_AGENT_FAILED', errorMessage: expect.stringMatching(message) },
    ]);
  });

  test.each([
    { does: 'is at a private address', cardUrl: 'http://10.0.0.1/card.json' },
    { does: 'is not there', cardUrl: 'http://127.0.0.1:9/card.json' },
  ])('$does', async ({ cardUrl }) => {
    const { events } = await setUp({ cardUrl }).run();
    expect(events).toMatchObject([{ errorCode: 'REMOTE_AGENT_FAILED' }]);
  });

  test('has a card that names a private address', async () => {
    remote.rpcUrl = 'https://10.0.0.1/rpc';
    const { events } = await setUp().run();
    expect(events).toMatchObject([{ errorMessage: expect.stringContaining('may not be reached') }]);
  });
});

test('a run that is stopped cancels the task', async () => {
  const bench = setUp();
  remote.scripts.push([status('TASK_STATE_WORKING', part('wait')), 'hang']);
  const { seen, soFar } = await bench.begin({ streaming: true });
  // The task has its id from the first words of the agent.
  await expect.poll(() => textsOf(soFar.events)).toEqual(['wait']);
  expect(await bench.executor.drain(0)).toHaveLength(1);
  expect((await seen).failure).toBeUndefined();
  await expect.poll(() => remote.cancelled).toEqual(['t1']);
});

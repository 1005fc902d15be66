import { beforeAll, expect, inject, test } from 'vitest';
import { type Caller, newAccount, textOf } from '../../caller.ts';
import { agentOf, pathOf, run, sessionOf } from './agui-page.ts';

let caller: Caller;
beforeAll(async () => {
  caller = await newAccount(inject('meshUrl'));
});

test('a first answer is streamed, each word once, and a second message goes on in the session of the thread', async () => {
  const agent = agentOf(caller, 'echo');
  const first = await run(agent, 'one two three');
  // How many pieces there are depends on when the stream begins.
  expect(first.types.filter((type, index) => type !== first.types[index - 1])).toEqual([
    'RUN_STARTED',
    'STATE_SNAPSHOT',
    'TEXT_MESSAGE_START',
    'TEXT_MESSAGE_CONTENT',
    'TEXT_MESSAGE_END',
    'RUN_FINISHED',
  ]);
  expect(first.events[0]).toMatchObject({ threadId: agent.threadId, protocolVersion: '1.0' });
  expect(first.events.at(-1)).toMatchObject({ outcome: { type: 'success' } });
  expect(first.newMessages).toMatchObject([{ role: 'assistant', content: 'one two three' }]);
  const second = await run(agent, 'and four');
  expect(second.newMessages).toMatchObject([{ role: 'assistant', content: 'and four' }]);
  const { events } = await sessionOf(caller, 'echo', agent);
  expect(events.map((event) => [event.author, textOf(event)])).toEqual([
    ['user', 'one two three'],
    ['echo', 'one two three'],
    ['user', 'and four'],
    ['echo', 'and four'],
  ]);
  expect(events[0]?.invocationId).toBe(first.events[0]?.['runId']);
});

test('a call of a tool is shown with its result', async () => {
  const agent = agentOf(caller, 'echo');
  const { newMessages } = await run(agent, '[[tool:get_current_time {"timezone":"UTC"}]] now');
  const [called, answered] = newMessages;
  expect(called).toMatchObject({ role: 'assistant', toolCalls: [{ function: { name: 'get_current_time' } }] });
  const [call] = called?.role === 'assistant' ? (called.toolCalls ?? []) : [];
  expect(JSON.parse(call?.function.arguments ?? '')).toEqual({ timezone: 'UTC' });
  expect(answered).toMatchObject({ role: 'tool', toolCallId: call?.id, content: expect.stringContaining('{') });
  expect(newMessages.at(-1)).toMatchObject({ role: 'assistant', content: expect.stringContaining('now') });
});

test('a failed run is an error with its text, and only what is new is sent after it', async () => {
  const agent = agentOf(caller, 'echo');
  const { events } = await run(agent, '[[fail:no luck]]');
  expect(events.at(-1)).toMatchObject({ type: 'RUN_ERROR', message: 'no luck', code: 'ECHO_FAIL' });
  const { newMessages } = await run(agent, 'better now');
  expect(newMessages).toMatchObject([{ content: 'better now' }]);
  const { events: stored } = await sessionOf(caller, 'echo', agent);
  expect(stored.filter(({ author }) => author === 'user').map(textOf)).toEqual(['[[fail:no luck]]', 'better now']);
});

test('a conversation that began elsewhere is brought along', async () => {
  const agent = agentOf(caller, 'echo', {
    initialMessages: [
      { id: 'a', role: 'assistant', content: 'How can I help?' },
      { id: 'b', role: 'user', content: 'Not yet.' },
      { id: 'c', role: 'assistant', content: 'Take your time.' },
    ],
  });
  await run(agent, 'now');
  const { events } = await sessionOf(caller, 'echo', agent);
  expect(events.map((event) => [event.author, textOf(event)])).toEqual([
    ['echo', 'How can I help?'],
    ['user', 'Not yet.'],
    ['echo', 'Take your time.'],
    ['user', 'now'],
    ['echo', 'now'],
  ]);
  const nowhere = agentOf(caller, 'nowhere', { initialMessages: agent.messages });
  await expect(run(nowhere, 'hi')).rejects.toThrow('404');
  expect((await caller.request('GET', pathOf(nowhere, 'nowhere'))).status).toBe(404);
});

test('pictures reach the agent, and parts that cannot be served are refused', async () => {
  const agent = agentOf(caller, 'echo');
  const image = { type: 'image' as const, source: { type: 'data' as const, value: 'aGk=', mimeType: 'image/png' } };
  agent.addMessage({ id: 'm', role: 'user', content: [{ type: 'text', text: 'see' }, image] });
  await run(agent);
  const { events } = await sessionOf(caller, 'echo', agent);
  expect(events[0]?.content?.parts).toEqual([{ text: 'see' }, { inlineData: { mimeType: 'image/png', data: 'aGk=' } }]);
  for (const [source, place] of [
    [{ type: 'file', value: 'file-1' }, ['source']],
    [{ type: 'data', value: '#', mimeType: 'image/png' }, ['source', 'value']],
  ] as const) {
    const content = [{ type: 'image', source }];
    const input = { threadId: 't', runId: 'r', messages: [{ id: 'm', role: 'user', content }] };
    const loc = ['body', 'messages', 0, 'content', 0, ...place];
    expect(await caller.request('POST', '/agui/echo', input)).toMatchObject({
      status: 422,
      body: { detail: [{ loc }] },
    });
  }
});

test('state goes both ways: changed keys reach the session, and what tools change reaches the page', async () => {
  const agent = agentOf(caller, 'echo', { initialState: { topic: 'tea', list: [1, { a: null }] } });
  await run(agent, 'hello');
  expect(agent.state).toEqual({ topic: 'tea', list: [1, { a: null }] });
  expect((await sessionOf(caller, 'echo', agent)).state).toEqual({ topic: 'tea', list: [1, { a: null }] });
  await caller.request('PATCH', pathOf(agent), { stateDelta: { other: 'a', 'user:name': 'Ada', big: 1 } });
  agent.setState({ topic: 'coffee' });
  const { events } = await run(agent, 'again');
  expect(agent.state).toEqual({ topic: 'coffee', list: [1, { a: null }], other: 'a', big: 1 });
  expect(events.filter(({ type }) => String(type).startsWith('STATE_'))).toHaveLength(1);
  const { events: stored } = await sessionOf(caller, 'echo', agent);
  expect(stored.at(-2)?.actions.stateDelta).toEqual({ topic: 'coffee' });
  const refused = agentOf(caller, 'echo', { initialState: { 'app:x': 1 } });
  await expect(run(refused, 'hi')).rejects.toThrow('422');
});

test('the context of the page is in the state for the instruction, while it is there', async () => {
  const agent = agentOf(caller, 'echo');
  const context = [{ description: 'The open document', value: 'Report' }];
  await run(agent, 'hi', { context });
  const stored = async () => (await sessionOf(caller, 'echo', agent)).state['agui_context'];
  expect(await stored()).toBe('The open document: Report');
  expect(agent.state).toEqual({});
  await run(agent, 'bye');
  expect(await stored()).toBeUndefined();
});

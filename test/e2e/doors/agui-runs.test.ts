import { randomUUID } from 'node:crypto';
import { beforeAll, expect, inject, test } from 'vitest';
import { Caller, newAccount, textOf } from '../../caller.ts';
import { agentOf, inputOf, pathOf, run, saidIn, sessionOf } from './agui-page.ts';

let caller: Caller;
beforeAll(async () => {
  caller = await newAccount(inject('meshUrl'));
});

test('an approval is an interrupt, and the call is made once it is resumed', async () => {
  const agent = agentOf(caller, 'approve');
  const asked = await run(agent, '[[state:paid=yes]]');
  const [interrupt] = agent.pendingInterrupts;
  const called = agent.messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
  const setState = called.find((call) => call.function.name === 'set_state');
  expect(interrupt).toMatchObject({ reason: 'tool_call', toolCallId: setState?.id });
  expect(asked.types).not.toContain('TOOL_CALL_RESULT');
  await expect(run(agent, 'hello?')).rejects.toThrow('pending interrupt');
  agent.messages.pop();
  const resume = [{ interruptId: interrupt?.id ?? '', status: 'resolved' as const, payload: { approved: true } }];
  const { events } = await run(agent, undefined, { resume });
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'TOOL_CALL_RESULT',
      toolCallId: setState?.id,
      content: '{"key":"paid","value":"yes"}',
    }),
  );
  expect(agent.state).toEqual({ paid: 'yes' });
  expect(agent.pendingInterrupts).toEqual([]);
  const { body } = await caller.request<{ status: string; attempt: number }[]>(
    'GET',
    `${pathOf(agent, 'approve')}/runs`,
  );
  expect(body).toMatchObject([{ status: 'completed', attempt: 2 }]);
});

test('an interrupt that is cancelled, or resolved with a denial, makes no call', async () => {
  for (const answer of [
    { status: 'cancelled' as const },
    { status: 'resolved' as const, payload: { approved: false } },
  ]) {
    const agent = agentOf(caller, 'approve');
    await run(agent, '[[state:paid=yes]]');
    const { events } = await run(agent, undefined, {
      resume: agent.pendingInterrupts.map(({ id }) => ({ interruptId: id, ...answer })),
    });
    expect(JSON.stringify(events)).toContain('This tool call is rejected.');
    expect(agent.state).toEqual({});
  }
});

test('a question is answered by resume, or by a tool message of a page that knows no interrupts', async () => {
  const agent = agentOf(caller, 'echo');
  await run(agent, '[[tool:request_input {"message":"Which?"}]]');
  expect(agent.pendingInterrupts).toMatchObject([{ reason: 'input_required', message: 'Which?' }]);
  const id = agent.pendingInterrupts[0]?.id ?? '';
  const resumed = await run(agent, undefined, { resume: [{ interruptId: id, status: 'resolved', payload: 'this' }] });
  expect(resumed.newMessages.at(-1)).toMatchObject({ content: 'request_input: {"result":"this"}' });

  const other = agentOf(caller, 'echo');
  await run(other, '[[tool:request_input {"message":"Which?"}]]');
  const [waiting] = other.pendingInterrupts.splice(0);
  other.addMessage({ id: randomUUID(), role: 'tool', toolCallId: waiting?.id ?? '', content: 'that' });
  const { newMessages, types } = await run(other);
  expect(newMessages).toMatchObject([{ role: 'assistant', content: 'request_input: {"result":"that"}' }]);
  expect(types).not.toContain('TOOL_CALL_RESULT');
});

test('what the user says beside an answer is seen behind it, and is not lost', async () => {
  const agent = agentOf(caller, 'approve');
  await run(agent, '[[state:paid=yes]]');
  const resume = agent.pendingInterrupts.map(({ id }) => ({ interruptId: id, status: 'cancelled' as const }));
  const { newMessages } = await run(agent, 'never mind', { resume });
  expect(newMessages.at(-1)).toMatchObject({ role: 'assistant', content: 'never mind' });
  const { events } = await sessionOf(caller, 'approve', agent);
  expect(new Set(events.map(({ invocationId }) => invocationId)).size).toBe(1);
  expect((await run(agent, 'next')).newMessages).toMatchObject([{ content: 'next' }]);
});

test('a tool message that was given before does not hold up what the user says next', async () => {
  const agent = agentOf(caller, 'echo');
  await run(agent, '[[tool:request_input {"message":"Which?"}]]');
  const [waiting] = agent.pendingInterrupts.splice(0);
  agent.addMessage({ id: randomUUID(), role: 'tool', toolCallId: waiting?.id ?? '', content: 'that' });
  await run(agent);
  // The page has lost the answer of the assistant.
  agent.messages.pop();
  expect((await run(agent, 'next')).newMessages).toMatchObject([{ role: 'assistant', content: 'next' }]);
});

test('of two answers to an interrupt the second is refused', async () => {
  const agent = agentOf(caller, 'approve');
  await run(agent, '[[state:paid=yes]]');
  const resume = agent.pendingInterrupts.map(({ id }) => ({ interruptId: id, status: 'resolved', payload: true }));
  const answer = () => inputOf({ threadId: agent.threadId, messages: [], resume });
  expect((await caller.fetch('POST', '/agui/approve', answer())).status).toBe(200);
  const late = await caller.request('POST', '/agui/approve', answer());
  expect(late).toMatchObject({ status: 409, body: { code: expect.stringMatching(/^run_(not_waiting|in_progress)$/) } });
});

test('an answer that is sent twice counts once, and the second request gets the same events', async () => {
  const agent = agentOf(caller, 'echo');
  await run(agent, '[[tool:request_input {"message":"Which?"}]]');
  const input = {
    threadId: agent.threadId,
    runId: randomUUID(),
    messages: [],
    resume: [{ interruptId: agent.pendingInterrupts[0]?.id, status: 'resolved', payload: 'this' }],
  };
  const send = async () => saidIn(await (await caller.fetch('POST', '/agui/echo', input)).text());
  expect(await send()).toBe('request_input: {"result":"this"}');
  expect(await send()).toBe('request_input: {"result":"this"}');
  const { events } = await sessionOf(caller, 'echo', agent);
  expect(events).toHaveLength(4);
});

test('a repeated runId starts no second run, and attaches to the first one', async () => {
  const agent = agentOf(caller, 'echo');
  const runId = randomUUID();
  const input = { threadId: agent.threadId, runId, messages: [{ id: 'm1', role: 'user', content: 'only once' }] };
  const both = await Promise.all([0, 1].map(async () => (await caller.fetch('POST', '/agui/echo', input)).text()));
  const third = await caller.fetch('POST', '/agui/echo', input);
  expect(third.headers.get('idempotency-replayed')).toBe('true');
  for (const text of [...both, await third.text()]) {
    expect(text.match(/TEXT_MESSAGE_START/g)).toHaveLength(1);
    expect(text).toContain('RUN_FINISHED');
  }
  const { events } = await sessionOf(caller, 'echo', agent);
  expect(events.map(textOf)).toEqual(['only once', 'only once']);
  const other = { ...input, messages: [{ id: 'm2', role: 'user', content: 'another' }] };
  const refused = await caller.request('POST', '/agui/echo', other);
  expect(refused).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'runId'] }] } });
});

test.each([
  ['threadId', { threadId: 7 }],
  ['runId', { runId: '' }],
  ['messages', { messages: [] }],
  ['messages', { messages: [{ id: 'a', role: 'assistant', content: 'hi' }] }],
  ['state', { state: [1] }],
  ['forwardedProps.user', { forwardedProps: { user: 7 } }],
  ['messages.0.content', { messages: [{ id: 'm', role: 'user', content: 7 }] }],
  ['messages.0.content', { messages: [{ id: 'm', role: 'user', content: [] }] }],
  ['resume.0.status', { messages: [], resume: [{ interruptId: 'x', status: 'maybe' }] }],
])('a body with a wrong %s is refused, and names it', async (field, over) => {
  const { status, body } = await caller.request('POST', '/agui/echo', inputOf(over));
  expect({ status, body }).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['body', ...field.split('.').map((key) => (key === '0' ? 0 : key))] }] },
  });
});

test('other accounts, tokens, users and apps meet walls', async () => {
  const agent = agentOf(caller, 'echo');
  await run(agent, '[[tool:request_input {"message":"Which?"}]]');
  const id = agent.pendingInterrupts[0]?.id ?? '';
  const stranger = await newAccount(inject('meshUrl'));
  const resume = [{ interruptId: id, status: 'resolved', payload: 'x' }];
  const answer = { threadId: agent.threadId, runId: randomUUID(), messages: [], resume };
  expect((await stranger.request('POST', '/agui/echo', answer)).status).toBe(404);
  expect((await stranger.request('POST', '/agui/echo', { ...answer, messages: agent.messages })).status).toBe(404);
  expect((await caller.request('POST', '/agui/none', inputOf())).status).toBe(404);
  expect((await caller.request('POST', '/agui/__internal', inputOf())).status).toBe(403);
  const tokenOf = async (body: object) =>
    (await caller.request<{ token: string }>('POST', '/api/auth/tokens', { name: 't', ...body })).body.token;
  const as = async (token: string | undefined, body: object) => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
    const answered = await fetch(`${caller.url}/agui/echo`, { method: 'POST', headers, body: JSON.stringify(body) });
    return answered.text().then(() => answered.status);
  };
  expect(await as(undefined, inputOf())).toBe(401);
  expect(await as(await tokenOf({ scopes: ['runs:read'] }), inputOf())).toBe(403);
  const bound = await tokenOf({ scopes: ['runs:write'], user_id: 'u7' });
  expect(await as(bound, inputOf({ forwardedProps: { user: 'u8' } }))).toBe(403);
  const own = inputOf({ forwardedProps: { anything: true } });
  expect(await as(bound, own)).toBe(200);
  expect((await caller.request('GET', `/apps/echo/users/u7/sessions/${own.threadId}`)).status).toBe(200);
  expect((await caller.request('GET', '/agui/echo')).status).toBe(405);
});

test('a run goes on when its page leaves, and ends when the page has asked for that', async () => {
  for (const [policy, status] of [
    ['continue', 'completed'],
    ['cancel', 'cancelled'],
  ] as const) {
    const agent = agentOf(caller, 'echo', { headers: { 'x-on-disconnect': policy } });
    const subscriber = { onTextMessageContentEvent: () => agent.abortRun() };
    agent.addMessage({ id: 'm', role: 'user', content: 'first [[wait:1500]] last' });
    await agent.runAgent({}, subscriber);
    const read = async () =>
      (await caller.request<{ status: string }[]>('GET', `${pathOf(agent)}/runs`)).body[0]?.status;
    await expect.poll(read, { timeout: 20_000 }).toBe(status);
  }
});

test('a request with an Idempotency-Key starts one run, and the same key with other content is refused', async () => {
  const key = { 'idempotency-key': randomUUID() };
  const body = inputOf();
  const send = async (sent: object) => {
    const headers = { authorization: `Bearer ${caller.token}`, 'content-type': 'application/json', ...key };
    return fetch(`${caller.url}/agui/echo`, { method: 'POST', headers, body: JSON.stringify(sent) });
  };
  const texts = await Promise.all([send(body), send(body)].map(async (sent) => (await sent).text()));
  for (const text of texts) expect(text).toContain('"type":"success"');
  const { body: runs } = await caller.request<object[]>('GET', `/apps/echo/users/user/sessions/${body.threadId}/runs`);
  expect(runs).toHaveLength(1);
  expect((await send(inputOf())).status).toBe(422);
});

test('a stream ends when its token is revoked, and the run goes on', async () => {
  const made = await caller.request<{ id: string; token: string }>('POST', '/api/auth/tokens', {
    name: 'page',
    scopes: ['runs:write'],
  });
  const page = new Caller(caller.url, made.body.token);
  const input = inputOf({ messages: [{ id: 'm', role: 'user', content: '[[wait:60000]]' }] });
  const stream = await page.fetch('POST', '/agui/echo', input);
  await caller.request('DELETE', `/api/auth/tokens/${made.body.id}`);
  expect(await stream.text()).toContain('The credential of this stream was revoked.');
  const run = `/runs/${input.runId}`;
  expect((await caller.request('GET', run)).body).toMatchObject({ status: 'running' });
  expect((await caller.request('POST', `${run}/cancel`, {})).status).toBe(200);
});

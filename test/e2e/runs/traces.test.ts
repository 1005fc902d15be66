import { expect, inject, test } from 'vitest';
import { Caller, newAccount, runBody, sessionPath } from '../../caller.ts';

interface Span {
  name: string;
  start_time: number;
  end_time: number;
  trace_id: string;
  span_id: string;
  parent_span_id?: string;
  attributes: Record<string, unknown>;
}

const traceOf = (id: string) => `/dev/apps/echo/debug/trace/session/${id}`;

test('a run records a tree of spans, without message texts, that only its account can read', async () => {
  const caller = await newAccount(inject('meshUrl'));
  const session = await caller.createSession('echo', { sessionId: 'a-session-of-that-name' });
  const { body: events, headers } = await caller.run(session, 'nobody else sees this [[tool:get_current_time {}]]');
  const read = async () => (await caller.request<Span[]>('GET', traceOf(session.id))).body;
  await expect.poll(async () => (await read()).some(({ name }) => name === 'invocation')).toBe(true);

  const spans = await read();
  const names = spans.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['invoke_agent echo', 'call_llm', 'execute_tool get_current_time']));
  const roots = spans.filter((span) => span.parent_span_id === undefined);
  expect(roots.map(({ name }) => name)).toEqual(['invocation']);
  expect(roots[0]?.attributes['gcp.vertex.agent.invocation_id']).toBe(headers.get('x-invocation-id'));
  const ids = new Set(spans.map((span) => span.span_id));
  for (const { start_time, end_time, parent_span_id, trace_id } of spans) {
    expect(end_time).toBeGreaterThanOrEqual(start_time);
    expect(Math.abs(end_time / 1e9 - Date.now() / 1000)).toBeLessThan(60);
    expect(parent_span_id === undefined || ids.has(parent_span_id)).toBe(true);
    expect(trace_id).toMatch(/^[0-9a-f]{32}$/);
  }
  expect(JSON.stringify(spans)).not.toContain('nobody else sees this');

  const answer = events.find((event) => event.content?.parts?.some((part) => 'functionResponse' in part));
  const ofEvent = await caller.request('GET', `/dev/apps/echo/debug/trace/${answer?.id}`);
  expect([ofEvent.status, ofEvent.body['gen_ai.tool.name']]).toEqual([200, 'get_current_time']);

  const other = await newAccount(inject('meshUrl'));
  await other.createSession('echo', { sessionId: session.id });
  expect((await other.request('GET', traceOf(session.id))).body).toEqual([]);
  const missing = await other.request('GET', `/dev/apps/echo/debug/trace/${answer?.id}`);
  expect([missing.status, missing.body]).toEqual([404, { detail: 'Trace not found' }]);
});

test('the graph of an event marks the agent that made it', async () => {
  const caller = await newAccount(inject('meshUrl'));
  const session = await caller.createSession('echo');
  const { body: events } = await caller.run(session, 'hello');
  const path = `/dev${sessionPath(session)}/events/${events[0]?.id}/graph`;
  const { status, body } = await caller.request('GET', path);
  expect([status, body]).toEqual([200, { dotSrc: expect.stringContaining('digraph "echo"') }]);
});

interface RunSpan {
  id: string;
  parentId?: string;
  name: string;
  start: number;
  end: number;
  status: string;
  attributes: Record<string, unknown>;
}

interface RunTrace {
  semanticConventions: string;
  spans: RunSpan[];
}

test('the stored trace of a run is a tree without what was said, which only its account can read', async () => {
  const caller = await newAccount(inject('meshUrl'));
  const session = await caller.createSession('echo');
  const tool = 'get_current_time';
  const { headers } = await caller.run(session, `nobody else sees this [[tool:${tool} {}]]`);
  const path = `/runs/${headers.get('x-invocation-id')}/trace`;
  const read = async () => (await caller.request<RunTrace>('GET', path)).body;
  await expect.poll(async () => (await read()).spans.length, { timeout: 20_000 }).toBeGreaterThan(0);

  const { semanticConventions, spans } = await read();
  expect(semanticConventions).toBe('1.37.0');
  const [root, ...others] = spans.toSorted(
    (a, b) => Number(a.parentId !== undefined) - Number(b.parentId !== undefined),
  );
  expect(root).toMatchObject({ name: 'invocation', status: 'ok' });
  const ids = new Set(spans.map(({ id }) => id));
  for (const { start, end, parentId } of others) {
    expect(end).toBeGreaterThanOrEqual(start);
    expect(ids).toContain(parentId);
  }
  const kinds = others.map(({ attributes }) => attributes['gen_ai.operation.name']);
  expect(kinds).toEqual(expect.arrayContaining(['invoke_agent', 'chat', 'execute_tool']));
  const called = others.find(({ name }) => name === `execute_tool ${tool}`);
  expect(called?.attributes).toMatchObject({ 'gen_ai.tool.name': tool, 'agentmesh.event.id': expect.any(String) });
  expect(JSON.stringify(spans)).not.toContain('nobody else sees this');
  const other = await newAccount(inject('meshUrl'));
  expect((await other.request('GET', path)).status).toBe(404);
});

test('the trace of a run with one answer has the same form, though nothing is stored for it', async () => {
  const caller = await newAccount(inject('meshUrl'));
  const { headers } = await caller.run(await caller.createSession('echo'), 'hello');
  const { body } = await caller.request<RunTrace>('GET', `/runs/${headers.get('x-invocation-id')}/trace`);
  const [root, agent, chat] = body.spans;
  expect(body.spans.map(({ name }) => name)).toEqual([
    'invocation',
    'invoke_agent echo',
    expect.stringMatching(/^chat /),
  ]);
  expect([agent?.parentId, chat?.parentId]).toEqual([root?.id, agent?.id]);
  expect(chat?.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.usage.output_tokens': expect.any(Number),
  });
});

test('a token for one user reads no spans of a run with the same id of another user', async () => {
  const account = await newAccount(inject('meshUrl'));
  const { body: made } = await account.request<{ token: string }>('POST', '/api/auth/tokens', {
    name: 'for one user',
    scopes: ['runs:read', 'runs:write', 'sessions:write'],
    user_id: 'other',
  });
  const bound = new Caller(account.url, made.token);
  const session = await account.createSession();
  await account.run(session, '[[tool:get_current_time {}]]', { invocationId: 'named' });
  const spansOf = async (caller: Caller) =>
    (await caller.request<{ spans: RunSpan[] }>('GET', '/runs/named/trace')).body;
  await expect.poll(async () => (await spansOf(account)).spans.length).toBeGreaterThan(3);
  const { body: own } = await bound.request<{ id: string }>('POST', '/apps/echo/users/other/sessions', {});
  const started = await bound.request('POST', '/run', {
    ...runBody({ ...session, userId: 'other', id: own.id }, 'hello'),
    invocationId: 'named',
  });
  expect(started.status).toBe(200);
  const { spans } = await spansOf(bound);
  expect(spans.filter(({ name }) => name.startsWith('execute_tool'))).toEqual([]);
});

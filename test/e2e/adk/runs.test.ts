import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Caller, newAccount, runBody, type SessionJson, sessionPath, textOf } from '../../caller.ts';
import { type AdkApps, openAdkApps } from './open-adk-apps.ts';

let caller: Caller;
let apps: AdkApps;
beforeAll(async () => {
  caller = await newAccount(inject('meshUrl'));
  apps = await openAdkApps(caller, 'adk_runs', ['dummy']);
});
afterAll(() => apps[Symbol.asyncDispose]());

const dummySession = () => caller.createSession(apps.name('dummy'));
const unknownSession = (over: Partial<SessionJson>): SessionJson => ({
  id: 'nonexistent_session',
  appName: 'echo',
  userId: 'u1',
  state: {},
  events: [],
  lastUpdateTime: 0,
  ...over,
});
const refusal = (path: string, session: SessionJson) => caller.request('POST', path, runBody(session, 'Hello'));

describe('the runs of ADK’s own test cases', () => {
  test('test_agent_run', async () => {
    const { status, body } = await caller.run(await dummySession(), 'Hello agent');
    expect([status, body.length]).toEqual([200, 3]);
    expect([body[0]?.author, textOf(body[0])]).toEqual(['dummy', 'reply']);
    expect(body[1]?.content?.parts?.[0]).toMatchObject({ inlineData: { mimeType: 'audio/pcm;rate=24000' } });
    expect(body[2]).toMatchObject({ interrupted: true });
  });

  test('test_agent_run_unknown_app_returns_404', async () => {
    const answer = await refusal('/run', unknownSession({ appName: 'unknown_app' }));
    expect(answer).toMatchObject({ status: 404, body: { detail: expect.stringContaining('unknown_app') } });
  });

  test('test_agent_run_sse_unknown_app_returns_404', async () => {
    const answer = await refusal('/run_sse', unknownSession({ appName: 'unknown_app' }));
    expect(answer).toMatchObject({ status: 404, body: { detail: expect.stringContaining('unknown_app') } });
  });

  test('test_returns_404_without_auto_create', async () => {
    for (const path of ['/run', '/run_sse']) {
      const answer = await refusal(path, unknownSession({}));
      expect(answer).toMatchObject({ status: 404, body: { detail: expect.stringContaining('Session not found') } });
    }
  });

  test('test_agent_run_passes_state_delta', async () => {
    const session = await caller.createSession();
    const delta = { k: 'v', count: 1 };
    expect((await caller.run(session, 'Hello', { state_delta: delta })).status).toBe(200);
    const { state, events } = await caller.readSession(session);
    expect(state).toEqual(delta);
    expect(events[0]).toMatchObject({ actions: { stateDelta: delta } });
  });

  test('test_agent_run_passes_invocation_id', async () => {
    const session = await caller.createSession();
    const asked = await caller.run(session, '[[tool:request_input {"message":"really?"}]]');
    const [id] = asked.body.flatMap((event) => (event.longRunningToolIds as string[] | undefined) ?? []);
    const invocationId = asked.headers.get('x-invocation-id');
    const response = { id, name: 'request_input', response: { result: 'yes' } };
    const newMessage = { role: 'user', parts: [{ functionResponse: response }] };
    const { status, body } = await caller.run(session, '', { newMessage, invocation_id: invocationId });
    expect(status).toBe(200);
    expect(new Set(body.map((event) => event.invocationId))).toEqual(new Set([invocationId]));
  });

  test('test_agent_run_resume_without_message_success', async () => {
    const session = await caller.createSession();
    const failed = await caller.run(session, '[[fail:no luck]]');
    const { appName: app_name, userId: user_id, id: session_id } = session;
    const invocation_id = failed.headers.get('x-invocation-id');
    const answer = await caller.request('POST', '/run', { app_name, user_id, session_id, invocation_id });
    expect([answer.status, answer.headers.get('x-invocation-id')]).toEqual([200, invocation_id]);
  });

  test('test_agent_run_passes_custom_metadata', async () => {
    const custom_metadata = { tenant: 'acme', trace: 'abc123' };
    const { status, body } = await caller.run(await caller.createSession(), 'Hello', { custom_metadata });
    expect([status, body[0]?.['customMetadata']]).toEqual([200, custom_metadata]);
  });

  test('test_agent_run_sse_splits_artifact_delta', async () => {
    const frames = await caller.runSse(await dummySession(), 'save', { streaming: true });
    expect(frames).toMatchObject([
      { content: { parts: [{ text: 'reply' }] }, actions: { artifactDelta: {} } },
      { actions: { artifactDelta: { 'artifact.txt': 0 } } },
    ]);
    expect(frames[0]?.actions?.artifactDelta).toEqual({});
    expect(frames[1]).not.toHaveProperty('content');
  });

  test('test_agent_run_sse_does_not_split_artifact_delta_for_function_resume', async () => {
    const functionCallEventId = 'function-call-event-id';
    const frames = await caller.runSse(await dummySession(), 'save', { streaming: true, functionCallEventId });
    expect(frames).toHaveLength(1);
    expect(frames[0]).toMatchObject({
      content: { parts: [{ text: 'reply' }] },
      actions: { artifactDelta: { 'artifact.txt': 0 } },
    });
  });

  test('test_agent_run_sse_yields_error_object_on_exception', async () => {
    const frames = await caller.runSse(await dummySession(), 'raise', { streaming: true });
    const last = frames.at(-1);
    expect(last).toMatchObject({
      error: expect.stringContaining('boom'),
      error_details: {
        error_type: expect.any(String),
        error_message: expect.stringContaining('boom'),
        timestamp: expect.any(Number),
      },
    });
    expect(JSON.stringify(last)).not.toContain('stacktrace');
  });
});

describe('the cancelled sessions of ADK’s own test cases', () => {
  const cancel = (session: SessionJson) =>
    caller.request<{ detail?: string }>('POST', `${sessionPath(session)}:cancel`);
  const running = async (session: SessionJson) =>
    (await caller.request<{ status: string }[]>('GET', `${sessionPath(session)}/runs`)).body[0]?.status;

  test('test_cancel_active_run_interrupts_agent', async () => {
    for (const path of ['/run', '/run_sse']) {
      const session = await caller.createSession();
      const body = runBody(session, 'started [[wait:60000]]', { streaming: true });
      const answer = caller
        .fetch('POST', path, body)
        .then(async (response) => [response.status, await response.text()]);
      await expect.poll(() => running(session)).toBe('running');
      const { status, body: told } = await cancel(session);
      expect([status, told]).toEqual([200, { status: 'cancelled', session_id: session.id }]);
      const [answered, text] = await answer;
      if (path === '/run_sse') expect([answered, text]).toEqual([200, expect.stringContaining('started')]);
      await expect.poll(() => running(session)).toBe('cancelled');
      expect((await cancel(session)).status).toBe(404);
    }
  });

  test('test_cancel_nonexistent_session_returns_404', async () => {
    expect((await cancel(unknownSession({}))).status).toBe(404);
  });

  test('test_cancel_repeated_missing_session_returns_404', async () => {
    for (const _ of [1, 2]) expect((await cancel(unknownSession({}))).status).toBe(404);
    expect((await caller.request('GET', sessionPath(unknownSession({})))).status).toBe(404);
  });

  test('test_registry_cleanup_after_run_completion', async () => {
    for (const path of ['/run', '/run_sse']) {
      const session = await caller.createSession();
      const response = await caller.fetch('POST', path, runBody(session, 'short'));
      expect([response.status, (await response.text()).includes('short')]).toEqual([200, true]);
      expect((await cancel(session)).status).toBe(404);
    }
  });
});

import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type Caller, newAccount, type SessionJson, sessionPath } from '../../caller.ts';

let caller: Caller;
beforeAll(async () => {
  caller = await newAccount(inject('meshUrl'));
});

const sessions = '/apps/echo/users/u1/sessions';

describe('the sessions of ADK’s own test cases', () => {
  test('test_create_session_with_id', async () => {
    const answer = await caller.request('POST', `${sessions}/new_session_id`, { state: {} });
    expect(answer).toMatchObject({ status: 200, body: { id: 'new_session_id', appName: 'echo', userId: 'u1' } });
  });

  test('test_create_session_with_id_already_exists', async () => {
    const path = `${sessions}/existing_session_id`;
    expect((await caller.request('POST', path, { state: {} })).status).toBe(200);
    const again = await caller.request('POST', path, { state: {} });
    expect(again).toMatchObject({ status: 409, body: { detail: expect.stringMatching(/session .*already exists/i) } });
  });

  test('test_create_session_without_id', async () => {
    const answer = await caller.request('POST', sessions, { state: {} });
    expect(answer).toMatchObject({ status: 200, body: { id: expect.any(String), appName: 'echo', userId: 'u1' } });
  });

  test('test_get_session', async () => {
    const { id } = await caller.createSession();
    const answer = await caller.request('GET', `${sessions}/${id}`);
    expect(answer).toMatchObject({ status: 200, body: { id, appName: 'echo', userId: 'u1' } });
  });

  test('test_list_sessions', async () => {
    const { id } = await caller.createSession();
    const { status, body } = await caller.request<SessionJson[]>('GET', sessions);
    expect(status).toBe(200);
    expect(body.map((session) => session.id)).toContain(id);
  });

  test('test_delete_session', async () => {
    const path = sessionPath(await caller.createSession());
    expect((await caller.request('DELETE', path)).status).toBe(200);
    expect((await caller.request('GET', path)).status).toBe(404);
  });

  test('test_update_session', async () => {
    const session = await caller.createSession('echo', { state: { first: 1 } });
    const delta = { test_key: 'test_value', counter: 42 };
    const patched = await caller.request<SessionJson>('PATCH', sessionPath(session), { state_delta: delta });
    expect(patched).toMatchObject({ status: 200, body: { id: session.id } });
    const { state, events } = await caller.readSession(session);
    expect([patched.body.state, state]).toEqual([
      { first: 1, ...delta },
      { first: 1, ...delta },
    ]);
    expect(events).toMatchObject([{ author: 'user', actions: { stateDelta: delta } }]);
    expect(events[0]?.invocationId).toMatch(/^p-/);
  });

  test('test_patch_session_not_found', async () => {
    const answer = await caller.request('PATCH', `${sessions}/nonexistent`, { state_delta: { a: 1 } });
    expect(answer).toMatchObject({ status: 404, body: { detail: expect.stringContaining('Session not found') } });
  });

  test('test_patch_memory', async () => {
    const session = await caller.createSession();
    await caller.run(session, 'remember the cheese');
    const answer = await caller.request('PATCH', '/apps/echo/users/u1/memory', { session_id: session.id });
    expect(answer.status).toBe(200);
    const found = await caller.request('GET', '/apps/echo/users/u1/memory?query=cheese');
    expect(JSON.stringify(found.body)).toContain('remember the cheese');
  });
});

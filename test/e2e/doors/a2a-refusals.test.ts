import type { StreamResponse, Task } from '@a2a-js/sdk';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { Caller, newAccount } from '../../caller.ts';
import { makeAgent } from '../agents/make-agent.ts';
import { cardPath, clientOf, fetchOf, request, send } from './a2a-client.ts';

const url = inject('meshUrl');
let caller: Caller;
beforeAll(async () => {
  caller = await newAccount(url);
});

describe('a call is refused in the form of the protocol:', () => {
  const call = async (by: Caller, body: unknown, { app = 'echo', version = '1.0' } = {}) => {
    const response = await fetchOf(by, { 'a2a-version': version })(`${url}/a2a/${app}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Refused };
  };
  interface Refused {
    readonly id?: unknown;
    readonly error?: { readonly code: number; readonly message: string };
  }
  const rpc = (method: string, params: unknown) => ({ jsonrpc: '2.0', id: 7, method, params });
  const sending = (over: object = {}) =>
    rpc('SendMessage', { message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hi' }], ...over } });
  const tokenOf = async (scopes: string[], user_id?: string) => {
    const asked = { name: 'a2a', scopes, ...(user_id !== undefined && { user_id }) };
    const { body } = await caller.request<{ token: string }>('POST', '/api/auth/tokens', asked);
    return new Caller(url, body.token);
  };

  test('without a token, without the scope, and for another user than that of the token', async () => {
    expect(await call(new Caller(url), sending())).toMatchObject({ status: 401, body: { jsonrpc: '2.0', error: {} } });
    const reader = await tokenOf(['runs:read']);
    expect(await call(reader, sending())).toMatchObject({
      status: 403,
      body: { error: { message: 'Needs runs:write.' } },
    });
    const bound = await tokenOf(['runs:read', 'runs:write'], 'ada');
    const own = await call(bound, sending());
    expect(own).toMatchObject({
      status: 200,
      body: { result: { task: { status: { state: 'TASK_STATE_COMPLETED' } } } },
    });
    expect((await call(bound, sending({ metadata: { user: 'bob' } }))).status).toBe(403);
    const { id } = await send(await clientOf(caller, 'echo'), 'of user');
    expect((await call(bound, rpc('GetTask', { id }))).body.error?.code).toBe(-32_001);
    expect((await call(reader, rpc('GetTask', { id }))).body).toMatchObject({ id: 7, result: { id } });
  });

  test('in a text or a list, which the library of the protocol might read after the scope was checked', async () => {
    const reader = await tokenOf(['runs:read']);
    const hidden = sending({ contextId: 'hidden' });
    for (const version of ['0.3', '1.0']) {
      for (const body of [JSON.stringify(JSON.stringify(hidden)), [hidden]])
        expect((await call(reader, body, { version })).body.error).toBeDefined();
    }
    const plain = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: JSON.stringify(hidden) };
    const answer = await fetchOf(reader, { 'a2a-version': '1.0' })(`${url}/a2a/echo`, plain);
    expect(((await answer.json()) as Refused).error).toBeDefined();
    expect((await caller.request('GET', '/apps/echo/users/user/sessions/hidden')).status).toBe(404);
  });

  test('a method of 1.0 without a version, with the header to send', async () => {
    const legacy = await fetchOf(caller, { 'content-type': 'application/json' })(`${url}/a2a/echo`, {
      method: 'POST',
      body: JSON.stringify(sending()),
    });
    expect(await legacy.json()).toMatchObject({
      id: 7,
      error: {
        code: -32_601,
        message: 'Method not found: SendMessage. A call without the header A2A-Version means 0.3; versions: 0.3, 1.0.',
      },
    });
  });

  test('null in a part means that the field is absent', async () => {
    const file = { bytes: 'AAAA', uri: null, mimeType: null, name: null };
    const parts = [
      { kind: 'text', text: 'hi', metadata: null, file: null },
      { kind: 'file', file, metadata: null },
      { kind: 'data', data: { a: null }, metadata: null },
    ];
    const message = { kind: 'message', messageId: 'm1', role: 'user', parts, metadata: null };
    const answer = await call(caller, rpc('message/send', { message, metadata: null }), { version: '0.3' });
    expect(answer.body).toMatchObject({
      result: {
        status: { state: 'completed' },
        history: [{ parts: [{ text: 'hi' }, { kind: 'file' }, { text: '{"a":null}' }] }],
      },
    });
  });

  test.each([[[1]], ['yes'], [5]])('no answer to a call, but data for the model, is %j', async (data) => {
    const parts = [{ data, metadata: { adk_type: 'function_response' } }];
    expect((await call(caller, sending({ parts }))).body).toMatchObject({
      result: {
        task: { status: { state: 'TASK_STATE_COMPLETED' }, history: [{ parts: [{ text: JSON.stringify(data) }] }] },
      },
    });
  });

  test('for an app that there is not, and for tasks and apps of another account', async () => {
    expect(await call(caller, sending(), { app: 'nothing' })).toMatchObject({ status: 404, body: { error: {} } });
    expect((await caller.request('GET', cardPath('nothing'))).status).toBe(404);
    const other = await newAccount(url);
    const client = await clientOf(caller, 'echo');
    const { id } = await send(client, 'mine');
    for (const method of ['GetTask', 'CancelTask', 'SubscribeToTask'])
      expect((await call(other, rpc(method, { id }))).body).toMatchObject({ id: 7, error: { code: -32_001 } });
    expect((await call(other, sending({ taskId: id }))).body.error?.code).toBe(-32_001);
    expect((await call(caller, rpc('GetTask', { id }), { app: 'approve' })).body.error?.code).toBe(-32_001);
    const name = `agent${await makeAgent(caller)}`;
    expect((await caller.request('GET', cardPath(name))).status).toBe(200);
    expect((await other.request('GET', cardPath(name))).status).toBe(404);
    expect((await call(other, sending(), { app: name })).status).toBe(404);
  });

  test.each<[string, unknown, [status: number, code: number, field?: string]]>([
    ['no JSON', '{', [400, -32_700]],
    ['no call', '[]', [200, -32_602]],
    ['another method', rpc('Nothing', {}), [200, -32_601]],
    ['no message', rpc('SendMessage', {}), [200, -32_602, 'params.message']],
    ['no parts', sending({ parts: [] }), [200, -32_602, 'params.message.parts']],
    ['a part of another type', sending({ parts: [{ text: 7 }] }), [200, -32_602, 'params.message.parts.0.text']],
    ['a file that is no base64', sending({ parts: [{ raw: '!' }] }), [200, -32_602, 'params.message.parts.0.raw']],
    ['a context with NUL', sending({ contextId: 'a\0b' }), [200, -32_602, 'params.message.contextId']],
    ['a message of an agent', sending({ role: 'ROLE_AGENT' }), [200, -32_602, 'params.message.role']],
    ['a list of tasks', rpc('ListTasks', {}), [200, -32_004]],
    ['a push configuration', rpc('CreateTaskPushNotificationConfig', { taskId: 't' }), [200, -32_003]],
  ])('%s', async (_, body, [status, code, field = '']) => {
    const answer = await call(caller, body);
    expect([answer.status, answer.body.error?.code]).toEqual([status, code]);
    expect(answer.body.error?.message).toContain(field);
  });

  test('from the moment on that its token is revoked, also while the answer is streamed', async () => {
    const { body } = await caller.request<{ id: string; token: string }>('POST', '/api/auth/tokens', {
      name: 'short',
      scopes: ['runs:read', 'runs:write'],
    });
    const stream = (await clientOf(new Caller(url, body.token), 'echo')).sendMessageStream(
      request('[[wait:60000]]secret'),
    );
    const { value } = await stream.next();
    const { value: task } = (value as StreamResponse).payload as { readonly value: Task };
    expect((await caller.request('DELETE', `/api/auth/tokens/${body.id}`)).status).toBe(200);
    await expect(Array.fromAsync(stream)).rejects.toThrow('Could not validate credentials');
    const { body: run } = await caller.request('POST', `/runs/${task.id}/cancel`);
    expect(run['status']).toBe('cancelled');
  });

  test('a part of version 0.3 that is none', async () => {
    const parts = [{ kind: 'file' }];
    const message = { kind: 'message', messageId: 'm1', role: 'user', parts };
    const answer = await call(caller, rpc('message/send', { message }), { version: '0.3' });
    expect([answer.status, answer.body.error]).toMatchObject([
      200,
      { code: -32_602, message: expect.stringMatching(/^params/) },
    ]);
  });

  test('of a version that is not spoken, and with a body that is too large', async () => {
    expect((await call(caller, sending(), { version: '2.0' })).body.error?.code).toBe(-32_009);
    const large = sending({ parts: [{ text: 'x'.repeat(21 * 1024 * 1024) }] });
    expect(await call(caller, large)).toMatchObject({ status: 413, body: { jsonrpc: '2.0' } });
  });
});

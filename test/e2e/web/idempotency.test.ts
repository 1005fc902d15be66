import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type Caller, newAccount } from '../../caller.ts';

const url = inject('meshUrl');
let caller: Caller;
let agentId: string;
let userId: number;

beforeAll(async () => {
  caller = await newAccount(url);
  await caller.request('POST', '/apps/echo/users/u1/sessions', { sessionId: 'patched' });
  const kept = { ...agent, agent_name: 'kept' };
  agentId = (await caller.request<{ agent_id: string }>('POST', '/api/agents', kept)).body.agent_id;
  userId = (await caller.request<{ user_id: number }>('GET', '/api/users/me')).body.user_id;
});

async function send(method: string, path: string, { body, key }: { readonly body: object; readonly key?: string }) {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${caller.token}`,
      'content-type': 'application/json',
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    body: JSON.stringify(body),
  });
  const replayed = response.headers.get('idempotency-replayed');
  return { status: response.status, replayed, body: textOf(await response.text()) };
}

const textOf = (text: string): unknown => (text === '' ? '' : JSON.parse(text));

const newMessage = { parts: [{ text: 'hello' }] };
const schedule = { cron: '0 9 * * *', appName: 'echo', userId: 'u1', newMessage, enabled: false };
const key = { key_name: 'k', provider: 'openai', api_key_value: 'sk-of-the-idempotency-tests' };
const agent = {
  agent_name: 'once',
  agent_model: 'echo/echo',
  agent_description: 'Says hello.',
  agent_instruction: 'Greet the user.',
  agent_type: 'llm',
};
const adkSession = { agent_name: 'echo', user_id: 'u1', session_id: 'adk', data: { a: 1 } };

interface Case {
  readonly method: string;
  readonly path: string;
  readonly body: object;
  /** Another body; absent: the route has none. */
  readonly other?: object;
}

const cases: readonly Case[] = [
  { method: 'POST', path: '/apps/echo/users/u1/sessions', body: { state: { a: 1 } }, other: { state: { a: 2 } } },
  { method: 'POST', path: '/apps/echo/users/u1/sessions/named', body: { a: 1 }, other: { a: 2 } },
  {
    method: 'PATCH',
    path: '/apps/echo/users/u1/sessions/patched',
    body: { stateDelta: { a: 1 } },
    other: { stateDelta: { a: 2 } },
  },
  { method: 'POST', path: '/api/schedules', body: schedule, other: { ...schedule, cron: '1 9 * * *' } },
  { method: 'POST', path: '/api/saved-api-keys', body: key, other: { ...key, key_name: 'other' } },
  { method: 'POST', path: '/api/agents', body: agent, other: { ...agent, agent_name: 'other' } },
  { method: 'POST', path: '/api/agents/{agent}/versions/1/restore', body: {} },
  { method: 'POST', path: '/api/agents/{agent}/reload', body: {} },
  { method: 'POST', path: '/api/agents/{agent}/run', body: { message: 'hello' }, other: { message: 'other' } },
  {
    method: 'POST',
    path: '/apps/echo/users/u1/sessions/patched/artifacts',
    body: { filename: 'a.txt', artifact: { text: 'one' } },
    other: { filename: 'a.txt', artifact: { text: 'two' } },
  },
  { method: 'POST', path: '/api/adk/sessions', body: adkSession, other: { ...adkSession, session_id: 'other' } },
  { method: 'PATCH', path: '/api/users/{user}', body: { first_name: 'Ada' }, other: { first_name: 'Grace' } },
  { method: 'POST', path: '/api/notifications/read-all', body: {} },
  {
    method: 'POST',
    path: '/api/auth/tokens',
    body: { name: 'ci', scopes: ['runs:read'] },
    other: { name: 'ci', scopes: ['runs:write'] },
  },
];

const reused = {
  status: 422,
  body: {
    detail: [{ type: 'idempotency_key_reused', loc: ['header', 'idempotency-key'] }],
    code: 'idempotency_key_reused',
  },
};

describe.each(cases)('$method $path', ({ method, path: pattern, body, other }) => {
  test('has its effect once for a key, and answers the same again', async () => {
    const path = pattern.replace('{agent}', agentId).replace('{user}', String(userId));
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(method, path, { body, key: 'once' })));
    const [first] = answers.filter(({ replayed }) => replayed === null);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => first?.status));
    expect([200, 201, 202, 204]).toContain(first?.status);
    for (const answer of answers) expect(answer.body).toEqual(first?.body);
    expect(answers.filter(({ replayed }) => replayed === 'true')).toHaveLength(4);
    if (other === undefined) return;
    expect(await send(method, path, { body: other, key: 'once' })).toMatchObject(reused);
  });
});

test('a key counts for one route, and a request that fails leaves it free', async () => {
  const path = '/apps/echo/users/u1/sessions/later';
  expect((await send('PATCH', path, { body: { stateDelta: { a: 1 } }, key: 'free' })).status).toBe(404);
  expect(await send('POST', path, { body: { a: 1 }, key: 'free' })).toMatchObject({ status: 200, replayed: null });
  const patched = await send('PATCH', path, { body: { stateDelta: { a: 1 } }, key: 'free' });
  expect(patched).toMatchObject({ status: 200, replayed: null });
});

test('a key of an upload counts for what is uploaded, and a second upload makes no version', async () => {
  const path = '/apps/echo/users/u1/sessions/patched/artifacts';
  const body = { filename: 'large.txt', artifact: { text: 'x'.repeat(300_000) } };
  const [first, second] = [
    await send('POST', path, { body, key: 'up' }),
    await send('POST', path, { body, key: 'up' }),
  ];
  expect([first?.replayed, second?.replayed]).toEqual([null, 'true']);
  const versions = await caller.request('GET', `${path}/large.txt/versions`);
  expect(versions.body).toEqual([0]);
  expect((await send('POST', path, { body, key: 'another' })).body).toMatchObject({ version: 1 });
});

test('an agent that cannot be made leaves its key free', async () => {
  const wrong = { ...agent, agent_name: 'wrong', agent_model: '' };
  expect((await send('POST', '/api/agents', { body: wrong, key: 'fault' })).status).toBe(422);
  const right = { ...agent, agent_name: 'right' };
  expect(await send('POST', '/api/agents', { body: right, key: 'fault' })).toMatchObject({
    status: 200,
    replayed: null,
  });
});

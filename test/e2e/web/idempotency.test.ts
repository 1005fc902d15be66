import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type Caller, newAccount } from '../../caller.ts';

const url = inject('meshUrl');
let caller: Caller;

beforeAll(async () => {
  caller = await newAccount(url);
  await caller.request('POST', '/apps/echo/users/u1/sessions', { sessionId: 'patched' });
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
  return { status: response.status, replayed, body: (await response.json()) as Record<string, unknown> };
}

const newMessage = { parts: [{ text: 'hello' }] };
const schedule = { cron: '0 9 * * *', appName: 'echo', userId: 'u1', newMessage, enabled: false };
const key = { key_name: 'k', provider: 'openai', api_key_value: 'sk-of-the-idempotency-tests' };
const cases = [
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
  {
    method: 'POST',
    path: '/api/auth/tokens',
    body: { name: 'ci', scopes: ['runs:read'] },
    other: { name: 'ci', scopes: ['runs:write'] },
  },
];

describe.each(cases)('$method $path', ({ method, path, body, other }) => {
  test('has its effect once for a key, and answers the same again', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(method, path, { body, key: 'once' })));
    const [first] = answers.filter(({ replayed }) => replayed === null);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => first?.status));
    expect([200, 201]).toContain(first?.status);
    for (const answer of answers) expect(answer.body).toEqual(first?.body);
    expect(answers.filter(({ replayed }) => replayed === 'true')).toHaveLength(4);
    expect(await send(method, path, { body: other, key: 'once' })).toMatchObject({ status: 422 });
  });
});

test('a key counts for one route, and a request that fails leaves it free', async () => {
  const path = '/apps/echo/users/u1/sessions/later';
  expect((await send('PATCH', path, { body: { stateDelta: { a: 1 } }, key: 'free' })).status).toBe(404);
  expect(await send('POST', path, { body: { a: 1 }, key: 'free' })).toMatchObject({ status: 200, replayed: null });
  const patched = await send('PATCH', path, { body: { stateDelta: { a: 1 } }, key: 'free' });
  expect(patched).toMatchObject({ status: 200, replayed: null });
});

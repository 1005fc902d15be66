import { expect, inject, test } from 'vitest';
import { type Caller, newAccount, runBody, type SessionJson } from '../../caller.ts';
import { mailedToken } from '../../outbox.ts';
import { makeAgent } from '../agents/make-agent.ts';

const url = inject('meshUrl');
/** Proves the address of an account by the token of a mail. */
async function prove(by: Caller): Promise<string> {
  const { email: address } = (await by.request<{ email: string }>('GET', '/api/users/me')).body;
  await by.request('POST', '/api/auth/forgot-password', { email: address });
  const token = await mailedToken(inject('dataDir'), address, 'auth/reset-password');
  const credentials = { email: address, password: 'another correct horse' };
  await by.request('POST', '/api/auth/reset-password', { token, new_password: credentials.password });
  const { body } = await by.request<{ access_token: string }>('POST', '/api/auth/token', credentials);
  by.token = body.access_token;
  return address;
}

interface Asked {
  readonly session: SessionJson;
  readonly invocationId: string;
  readonly token: string;
}

/** Runs an agent that asks by mail, until it waits and the mail has come. Each test has its own address, so that it has one mail. */
async function ask(by: Caller, to: string, agent: object, text: string): Promise<Asked> {
  const id = await makeAgent(by, { answer_mail: true, ...agent });
  const session = await by.createSession(`agent${id}`);
  const { headers } = await by.run(session, text);
  const token = await mailedToken(inject('dataDir'), to, 'run-answers');
  return { session, token, invocationId: headers.get('x-invocation-id') ?? '' };
}

const statusOf = async (by: Caller, id: string) =>
  (await by.request<{ status: string }>('GET', `/runs/${id}`)).body.status;

async function open(token: string) {
  const response = await fetch(`${url}/run-answers?token=${token}`);
  return { status: response.status, headers: response.headers, html: await response.text() };
}

async function post(token: string, fields: Record<string, string>) {
  const body = new URLSearchParams({ token, ...fields });
  const response = await fetch(`${url}/run-answers`, {
    method: 'POST',
    body,
    headers: { origin: new URL(url).origin },
  });
  return { status: response.status, html: await response.text() };
}

test('a call is approved on the page of a mailed link: looking changes nothing, one answer counts, and then the link is dead', async () => {
  const caller = await newAccount(url);
  const email = await prove(caller);
  const approve = { agent_tools: ['set_state'], confirm_tools: ['set_state'] };
  const call = `[[tool:set_state ${JSON.stringify({ key: 'paid', value: '<b>"yes"</b>' })}]]`;
  const { session, token, invocationId } = await ask(caller, email, approve, call);
  for (let n = 0; n < 3; n++) {
    const { status, headers, html } = await open(token);
    expect(status).toBe(200);
    expect(html).toContain('set_state');
    expect(html).toContain('&lt;b&gt;');
    expect(html).not.toMatch(/<b>"|<script|https?:/);
    const policy =
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/;
    expect(headers.get('content-security-policy')).toMatch(policy);
    expect(headers.get('referrer-policy')).toBe('same-origin');
    expect(headers.get('cache-control')).toBe('no-store');
  }
  expect((await post(token, { answer0: 'perhaps' })).status).toBe(422);
  expect((await open(`${token.slice(1)}A`)).status).toBe(404);
  expect(await statusOf(caller, invocationId)).toBe('waiting');

  const answers = await Promise.all(Array.from({ length: 4 }, () => post(token, { answer0: 'approve' })));
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
  await expect.poll(() => statusOf(caller, invocationId)).toBe('completed');
  expect((await caller.readSession(session)).state).toMatchObject({ paid: '<b>"yes"</b>' });
  expect((await open(token)).status).toBe(409);
  expect((await post(token, { answer0: 'reject' })).status).toBe(409);
});

test('a question is answered with JSON or with text, and the link of a cancelled run says so', async () => {
  const [asker, other] = [await newAccount(url), await newAccount(url)];
  const [to, otherTo] = [await prove(asker), await prove(other)];
  const input = { agent_tools: ['request_input'] };
  const question = `[[tool:request_input ${JSON.stringify({ message: 'Which city?\u202e' })}]]`;
  const { session, token, invocationId } = await ask(asker, to, input, question);
  expect((await open(token)).html).toContain('Which city?\\u202e');
  expect((await post(token, { answer0: ' ' })).status).toBe(422);
  expect((await post(token, { answer0: '{"city":"Rome","n":12345678901234567890}' })).status).toBe(200);
  await expect.poll(() => statusOf(asker, invocationId)).toBe('completed');
  const stored = await (await asker.fetch('GET', `/apps/${session.appName}/users/u1/sessions/${session.id}`)).text();
  expect(stored).toMatch(/"city":\s*"Rome",\s*"n":\s*12345678901234567890/);

  const cancelled = await ask(other, otherTo, input, question);
  await other.request('POST', `/runs/${cancelled.invocationId}/cancel`);
  expect((await open(cancelled.token)).status).toBe(410);
  expect((await post(cancelled.token, { answer0: 'Rome' })).status).toBe(410);
  expect((await asker.request('POST', `/runs/${cancelled.invocationId}/answer`, {})).status).toBe(422);
});

test('the mail about a run that waits comes also when a newer run of another session has its id', async () => {
  const caller = await newAccount(url);
  const to = await prove(caller);
  const id = await makeAgent(caller, { answer_mail: true, agent_tools: ['request_input'] });
  const [older, newer] = [await caller.createSession(`agent${id}`), await caller.createSession(`agent${id}`)];
  const invocationId = `asked-${older.id}`;
  const blocking = { invocationId: `before-${older.id}` };
  const start = (session: SessionJson, text: string, run = { invocationId }) =>
    caller.request('POST', '/runs', runBody(session, text, run));
  await start(older, '[[wait:60000]]', blocking);
  await start(older, '[[tool:request_input {"message":"Which city?"}]]');
  expect(await statusOf(caller, `${invocationId}?session=${older.id}`)).toBe('queued');
  await start(newer, '[[wait:60000]]');
  await caller.request('POST', `/runs/${blocking.invocationId}/cancel`, {});
  const token = await mailedToken(inject('dataDir'), to, 'run-answers');
  expect((await open(token)).html).toContain('Which city?');
  expect((await post(token, { answer0: 'Rome' })).status).toBe(200);
  await expect.poll(() => statusOf(caller, `${invocationId}?session=${older.id}`)).toBe('completed');
  expect(await statusOf(caller, `${invocationId}?session=${newer.id}`)).toBe('running');
  await caller.request('POST', `/runs/${invocationId}/cancel`, {});
});

import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Caller, newAccount, runBody, type SessionJson } from '../../caller.ts';
import { startWebhookReceiver } from '../../fakes/webhook-receiver.ts';

const url = inject('meshUrl');
const resources = new AsyncDisposableStack();
afterAll(() => resources.disposeAsync());
let caller: Caller;
beforeAll(async () => {
  caller = await newAccount(url);
});

const start = async (session: SessionJson, text: string, over: object) =>
  expect(await caller.request('POST', '/runs', runBody(session, text, over))).toMatchObject({ status: 202 });

const twoSessions = async () => [await caller.createSession(), await caller.createSession()] as const;

test('runs with one id in two sessions that are awaited have a notification each', async () => {
  const [older, newer] = await twoSessions();
  const invocationId = `awaited-${older.id}`;
  await start(older, '[[wait:700]] one', { invocationId });
  await start(newer, 'two', { invocationId });
  const places = async () => {
    const { body } = await caller.request<{ notifications: Record<string, unknown>[] }>('GET', '/api/notifications');
    const own = body.notifications.filter((one) => one['invocation_id'] === invocationId);
    return new Set(own.map((one) => one['session_id']));
  };
  await expect.poll(places, { timeout: 30_000 }).toEqual(new Set([older.id, newer.id]));
});

test('runs with one id in two sessions have a trace each', async () => {
  const [older, newer] = await twoSessions();
  const invocationId = `traced-${older.id}`;
  await caller.run(older, '[[tool:get_current_time {}]]', { invocationId });
  await caller.run(newer, `[[tool:set_state {"key":"a","value":"b"}]]`, { invocationId });
  const toolsOf = async (query: string) => {
    const { body } = await caller.request<{ spans: { name: string }[] }>('GET', `/runs/${invocationId}/trace${query}`);
    return body.spans.map(({ name }) => name).filter((name) => name.startsWith('execute_tool'));
  };
  const poll = (query: string) => expect.poll(() => toolsOf(query), { timeout: 20_000 });
  await poll(`?session=${older.id}`).toEqual(['execute_tool get_current_time']);
  await poll(`?session=${newer.id}`).toEqual(['execute_tool set_state']);
  expect(await toolsOf('')).toEqual(['execute_tool set_state']);
});

test('messages of webhooks of runs with one id in two sessions are listed, exported and sent again by their session', async () => {
  const receiver = resources.use(await startWebhookReceiver());
  const [older, newer] = await twoSessions();
  const invocationId = `told-${older.id}`;
  for (const session of [older, newer])
    await start(session, 'hello', { invocationId, webhook: { url: `${receiver.url}/${session.id}` } });
  const idsOf = async (session: SessionJson) => {
    const path = `/runs/${invocationId}/webhook/deliveries?session=${session.id}`;
    return (await caller.request<{ id: string }[]>('GET', path)).body.map(({ id }) => id);
  };
  for (const session of [older, newer]) {
    await expect.poll(() => receiver.at(`/${session.id}`).length, { timeout: 30_000 }).toBe(1);
    const sent = receiver.at(`/${session.id}`).map(({ headers }) => headers['webhook-id']);
    expect(await idsOf(session)).toEqual(sent);
    const again = `/runs/${invocationId}/webhook/deliveries/${String(sent[0])}/resend?session=${session.id}`;
    expect(await caller.request('POST', again, {})).toMatchObject({ status: 202 });
  }
});

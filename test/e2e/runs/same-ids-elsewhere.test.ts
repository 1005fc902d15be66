import { AgentMesh } from '@agentmesh/client';
import type { EventJson } from '@agentmesh/proto/event';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Caller, newAccount, runBody, type SessionJson, sessionPath } from '../../caller.ts';
import { startMcpServer } from '../../fakes/mcp/index.ts';
import { startWebhookReceiver } from '../../fakes/webhook-receiver.ts';
import { makeAgent } from '../agents/make-agent.ts';

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
  const statusOfOlder = async () =>
    (await caller.request('GET', `/runs/${invocationId}?session=${older.id}`)).body['status'];
  const places = async () => {
    const { body } = await caller.request<{ notifications: Record<string, unknown>[] }>('GET', '/api/notifications');
    const own = body.notifications.filter((one) => one['invocation_id'] === invocationId);
    return own.map((one) => one['session_id']);
  };
  await start(older, '[[tool:request_input {}]]', { invocationId });
  await expect.poll(statusOfOlder).toBe('waiting');
  await start(newer, 'two', { invocationId });
  await expect.poll(places).toEqual([newer.id]);
  expect(await statusOfOlder()).toBe('waiting');
  await caller.request('POST', `/runs/${invocationId}/cancel?session=${older.id}`, {});
  await expect.poll(places).toEqual([older.id, newer.id]);
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
  const lines = await Array.fromAsync(new AgentMesh({ url, token: caller.token ?? '' }).account.export());
  const exported = lines.map((line) => JSON.parse(line) as { kind: string; of?: object });
  const told = exported.filter(({ kind }) => kind === 'webhook_delivery');
  expect(told.map(({ of }) => of)).toEqual(
    expect.arrayContaining(
      [older, newer].map(({ appName, userId, id }) => {
        return { invocation_id: invocationId, app_name: appName, user_id: userId, session_id: id };
      }),
    ),
  );
});

test('each approval of a call in a session and its copy makes a call of its own', async () => {
  const server = resources.use(await startMcpServer());
  const mcpServers = [{ url: server.url, require_confirmation: true }];
  const id = await makeAgent(caller, { agent_name: 'approved', mcp_servers: mcpServers });
  const session = await caller.createSession(`agent${id}`);
  const { body: events, headers } = await caller.run(session, '[[tool:add {"a":20,"b":22}]]');
  const invocationId = headers.get('x-invocation-id');
  const { body: copy } = await caller.request<SessionJson>('POST', `${sessionPath(session)}/fork`, { invocationId });
  const functionResponse = { ...askedIn(events), response: { confirmed: true } };
  for (const one of [session, copy])
    await caller.run(one, '', { newMessage: { role: 'user', parts: [{ functionResponse }] } });
  const keys = server.calls
    .filter(({ method }) => method === 'tools/call')
    .map(({ params }) => (params['_meta'] as Record<string, unknown>)['agentmesh/idempotencyKey']);
  expect(keys).toHaveLength(2);
  expect(new Set(keys).size).toBe(2);
});

/** Id and name of the request for approval. */
function askedIn(events: readonly EventJson[]) {
  const calls = events.flatMap(({ content }) => content?.parts ?? []).map(({ functionCall }) => functionCall as object);
  const asked = calls.find((call) => (call as { name?: string } | undefined)?.name === 'adk_request_confirmation');
  const { id, name } = asked as { id: string; name: string };
  return { id, name };
}

import { RunStatus } from '@agentmesh/proto/sessions/v1';
import { describe, expect, test } from 'vitest';
import { accountId, type Edge, type EdgeOptions, startEdge, token } from './edge.ts';
import { content, dial, say, servicesOf } from './runs/live-client.ts';

const env = { ADK_DEFAULT_APP_NAME: 'test_app' };
const message = { user_id: 'u', session_id: 's', new_message: { role: 'user', parts: [{ text: 'Hello' }] } };
const authorized = async () => ({ authorization: `Bearer ${await token({})}` });

/** Services whose only session belongs to `test_app`. */
const services: EdgeOptions = {
  sessions: {
    async *getSession({ session }) {
      if (session?.appName === 'test_app')
        yield { session: { id: 's', appName: 'test_app', userId: 'u', stateJson: Buffer.from('{}'), revision: '1-1' } };
    },
  },
  runs: {
    async *run({ session }) {
      const json = Buffer.from(JSON.stringify({ author: session?.appName }));
      yield { kind: { case: 'accepted', value: { invocationId: 'e-1' } } };
      yield { kind: { case: 'event', value: { json } } };
    },
  },
};

describe('ADK’s own test cases of settings', () => {
  test('test_default_app_name_middleware_and_resolution', async () => {
    await using edge = await startEdge({ ...services, env });
    expect(await edge.send('/users/u/sessions/s')).toMatchObject({ status: 200, body: { appName: 'test_app' } });
    expect(await edge.send('/run', { json: message })).toMatchObject({ status: 200, body: [{ author: 'test_app' }] });
  });

  test('test_run_live_websocket_default_app_name', async () => {
    await using edge = await startEdge({ ...servicesOf(), env: { ADK_DEFAULT_APP_NAME: 'shop' } });
    const client = dial(edge, { query: 'user_id=u&session_id=s&modalities=TEXT', headers: await authorized() });
    await say(client, content('one'));
    await client.turns(1);
    expect(client.frames.at(-1)).toMatchObject({ author: 'clerk' });
    client.socket.close();
  });

  test('test_run_live_websocket_missing_app_name_raises_error', async () => {
    await using edge = await startEdge(servicesOf());
    const client = dial(edge, { query: 'user_id=u&session_id=s&modalities=TEXT', headers: await authorized() });
    expect((await client.closed)[0]).toBe(1008);
  });

  test('test_a2a_disabled_by_default', async () => {
    await using edge = await startEdge({ env: { DOORS: 'openai' } });
    expect((await edge.send('/a2a/app/.well-known/agent-card.json')).status).toBe(404);
    expect((await edge.send('/v1/models')).status).not.toBe(404);
  });

  test('test_builder_endpoints_not_registered_without_web', async () => {
    await using edge = await startEdge();
    for (const [method, path] of [
      ['POST', 'builder/save'],
      ['POST', 'builder/cancel'],
      ['GET', 'builder'],
    ] as const) {
      expect([404, 405]).toContain((await edge.send(`/dev/apps/app/${path}`, { method })).status);
    }
  });

  test('test_api_server_get_runner_async_rejects_internal_special_agent_name', async () => {
    await using edge = await startEdge(services);
    const answer = await edge.send('/run', { json: { ...message, app_name: '__adk_agent_builder_assistant' } });
    const detail = 'Access to internal special agents is disabled in API server mode.';
    expect(answer).toMatchObject({ status: 403, body: { detail } });
  });

  const triggers = (sources: string): EdgeOptions => ({
    env: { ADK_TRIGGER_SOURCES: sources, ADK_TRIGGER_ACCOUNTS: `push@p.example=${accountId}` },
    notifications: { identifyPush: async () => ({ serviceAccount: 'push@p.example' }) },
    runs: { startRun: async ({ invocationId }) => ({ invocationId }) },
    sessions: { getRun: async ({ invocationId }) => ({ run: { invocationId, status: RunStatus.COMPLETED } }) },
  });
  const statusesOf = async (edge: Edge) => {
    const pubsub = await edge.send('/apps/test_app/trigger/pubsub', { json: { message: { data: 'dGVzdA==' } } });
    const eventarc = await edge.send('/apps/test_app/trigger/eventarc', { json: { data: { k: 'v' } } });
    return [pubsub.status, eventarc.status];
  };

  test('TestSelectiveRegistration.test_only_pubsub', async () => {
    await using edge = await startEdge(triggers('pubsub'));
    expect(await statusesOf(edge)).toEqual([200, 404]);
  });

  test('TestSelectiveRegistration.test_only_eventarc', async () => {
    await using edge = await startEdge(triggers('eventarc'));
    expect(await statusesOf(edge)).toEqual([404, 200]);
  });
});

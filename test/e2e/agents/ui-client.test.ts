import { createParser } from 'eventsource-parser';
import { expect, inject, test } from 'vitest';
import type { EventJson } from '@agentmesh/proto/event';
import { Caller, newAccount, textOf } from '../../caller.ts';

const url = inject('meshUrl');

/** The payload that the UI's form for an agent builds. */
const payload = {
  agent_name: 'Mon agent',
  agent_model: 'echo/echo',
  agent_description: 'Répond.',
  agent_instruction: 'Réponds.',
  agent_tools: [],
  agent_type: 'base',
  sub_agents: [],
  memory_enabled: false,
  artifacts_enabled: false,
  guardrails_config: null,
  superagent_template_id: null,
  output_schema: null,
  mcp_servers: [],
  agent_skills: [],
  tags: [],
};

/** Signs in like the UI: a form of `username` and `password`, then the account. */
async function signIn(): Promise<{ caller: Caller; email: string }> {
  const { body } = await (await newAccount(url)).request<{ email: string }>('GET', '/api/users/me');
  const form = new URLSearchParams({ username: body.email, password: 'correct horse battery' });
  const response = await fetch(`${url}/api/auth/token`, { method: 'POST', body: form });
  const { access_token: token } = (await response.json()) as { access_token: string };
  return { caller: new Caller(url, token), email: body.email };
}

/** Reads frames like the UI: blocks of `data: {json}`. */
async function sendMessage(caller: Caller, body: object): Promise<EventJson[]> {
  const response = await caller.fetch('POST', '/api/adk/run_sse', body);
  expect(response.status).toBe(200);
  const events: EventJson[] = [];
  const parser = createParser({ onEvent: ({ data }) => events.push(JSON.parse(data) as EventJson) });
  parser.feed(await response.text());
  return events;
}

test('apowerb’s UI makes an agent, chats with it and finds the conversation again, call by call', async () => {
  const { caller, email } = await signIn();
  expect((await caller.request('GET', '/api/users/me')).body).toMatchObject({ email });
  expect((await new Caller(url).request('GET', '/api/config')).body).toHaveProperty('default_llm_available');

  expect((await caller.request('GET', '/api/agents')).body).toEqual([]);
  const models = await new Caller(url).request<{ providers: { models: { id: string }[] }[] }>('GET', '/api/models');
  const ids = models.body.providers.flatMap(({ models: own }) => own.map(({ id }) => id));
  expect(ids).toContain('echo/echo');
  expect((await caller.request('GET', '/api/saved-api-keys')).body).toEqual([]);

  const owned = { ...payload, owner_id: email, organization_id: 'example.com' };
  const made = await caller.request<{ agent_id: string }>('POST', '/api/agents', owned);
  const { agent_id: agent } = made.body;
  expect(agent).toMatch(/^agent\d+$/);
  const changed = { ...owned, agent_instruction: 'Réponds en vers.', loop_max_iterations: 3 };
  expect((await caller.request('PUT', `/api/agents/${agent}`, changed)).status).toBe(200);
  expect((await caller.fetch('POST', `/api/agents/${agent}/reload`)).status).toBe(204);

  const session = { agent_name: agent, user_id: email, session_id: `session_${Date.now()}` };
  expect(await caller.request('POST', '/api/adk/sessions', session)).toMatchObject({
    status: 200,
    body: { id: session.session_id, appName: agent, userId: email },
  });
  const shown = await caller.request('GET', `/api/agents/${agent.slice('agent'.length)}`);
  expect(shown.body).toMatchObject({
    agent_name: 'Mon agent',
    agent_instruction: 'Réponds en vers.',
    model_api_key: '',
  });
  const history = `/api/adk/sessions/${agent}/${email}/${session.session_id}`;
  expect((await caller.request('GET', history)).body).toEqual({ messages: [] });

  const message = { role: 'user', parts: [{ text: 'Bonjour à tous' }] };
  const run = { ...session, run_mode: 'run_sse', streaming: true, new_message: message };
  const events = await sendMessage(caller, run);
  expect(events.filter(({ partial }) => partial === true).length).toBeGreaterThan(1);
  expect(textOf(events.at(-1))).toBe('Bonjour à tous');
  expect((await caller.request('GET', history)).body).toMatchObject({
    messages: [
      { role: 'user', content: 'Bonjour à tous', timestamp: expect.any(Number) as number },
      { role: 'assistant', content: 'Bonjour à tous' },
    ],
  });

  expect((await caller.request('GET', '/api/notifications/unread-count')).body).toEqual({ count: 0, unread_count: 0 });
  expect((await caller.request('DELETE', history)).status).toBe(200);
  expect((await caller.request('GET', history)).status).toBe(404);
  expect((await caller.request('DELETE', `/api/agents/${agent}`)).body).toHaveProperty('message');
});

test('the chat of an agent is closed to other accounts', async () => {
  const [{ caller, email }, { caller: other }] = await Promise.all([signIn(), signIn()]);
  const made = await caller.request<{ agent_id: string }>('POST', '/api/agents', payload);
  const session = { agent_name: made.body.agent_id, user_id: email, session_id: 's1' };
  expect((await caller.request('POST', '/api/adk/sessions', session)).status).toBe(200);
  const message = { role: 'user', parts: [{ text: 'x' }] };
  const path = `/api/adk/sessions/${session.agent_name}/${email}/s1`;
  expect((await other.request('POST', '/api/adk/sessions', session)).status).toBe(404);
  expect((await other.request('POST', '/api/adk/run_sse', { ...session, new_message: message })).status).toBe(404);
  expect((await other.request('GET', path)).status).toBe(404);
  expect((await other.request('DELETE', path)).status).toBe(404);
  expect((await caller.request('POST', '/api/adk/run_sse', session)).status).toBe(422);
  expect((await new Caller(url).request('POST', '/api/adk/sessions', session)).status).toBe(401);
});

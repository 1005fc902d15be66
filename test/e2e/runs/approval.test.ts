import type { EventJson } from '@agentmesh/proto/event';
import { beforeAll, expect, inject, test } from 'vitest';
import { type Caller, newAccount, type SessionJson, textOf } from '../../caller.ts';
import { fields, makeAgent } from '../agents/make-agent.ts';

let caller: Caller;
beforeAll(async () => {
  caller = await newAccount(inject('meshUrl'));
});

interface Call {
  readonly id: string;
  readonly name: string;
  readonly args: { readonly originalFunctionCall?: { readonly name: string }; readonly toolConfirmation?: object };
}

const partsOf = (events: readonly EventJson[]) => events.flatMap(({ content }) => content?.parts ?? []);
const answersOf = (events: readonly EventJson[]): unknown[] =>
  partsOf(events).flatMap(
    ({ functionResponse }) => (functionResponse as { response?: unknown } | undefined)?.response ?? [],
  );
const stateOf = async (session: SessionJson) => (await caller.readSession(session)).state;

/** Runs the agent up to its request for approval. */
async function ask(): Promise<{ session: SessionJson; call: Call; invocationId: string | null }> {
  const session = await caller.createSession('approve');
  const { status, body, headers } = await caller.run(session, '[[state:paid=yes]]');
  expect(status).toBe(200);
  const calls = partsOf(body).map(({ functionCall }) => functionCall as unknown as Call | undefined);
  const call = calls.find((one) => one?.name === 'adk_request_confirmation');
  if (call === undefined) throw new Error('the agent did not ask');
  const waits = { error: 'This tool call requires confirmation, please approve or reject.' };
  expect(body.slice(-2)).toMatchObject([
    { longRunningToolIds: [call.id] },
    { content: { parts: [{ functionResponse: { name: 'set_state', response: waits } }] } },
  ]);
  expect(await stateOf(session)).not.toHaveProperty('paid');
  return { session, call, invocationId: headers.get('x-invocation-id') };
}

function answer(session: SessionJson, { id, name }: Pick<Call, 'id' | 'name'>, response: object) {
  return caller.run(session, '', {
    newMessage: { role: 'user', parts: [{ functionResponse: { id, name, response } }] },
  });
}

test('a call that is approved is made, in the same run, and once', async () => {
  const { session, call, invocationId } = await ask();
  expect(call.args).toMatchObject({
    originalFunctionCall: { name: 'set_state' },
    toolConfirmation: { confirmed: false },
  });
  const run = `/runs/${invocationId}`;
  expect((await caller.request('GET', run)).body).toMatchObject({ status: 'waiting' });
  const { status, body, headers } = await answer(session, call, { confirmed: true });
  expect([status, headers.get('x-invocation-id')]).toEqual([200, invocationId]);
  expect(answersOf(body)).toEqual([{ key: 'paid', value: 'yes' }]);
  expect(await stateOf(session)).toMatchObject({ paid: 'yes' });
  expect((await caller.request('GET', run)).body).toMatchObject({ status: 'completed' });
});

test('a message that was added while the run waited is seen behind the approved call', async () => {
  const { session, call, invocationId } = await ask();
  const newMessage = { parts: [{ text: 'and thanks' }] };
  const added = await caller.request('POST', `/runs/${invocationId}/messages`, { newMessage });
  expect(added).toMatchObject({ status: 202, body: { invocationId, status: 'waiting' } });
  const { body } = await answer(session, call, { confirmed: true });
  expect(await stateOf(session)).toMatchObject({ paid: 'yes' });
  expect(answersOf(body)).toEqual([{ key: 'paid', value: 'yes' }]);
  expect(textOf(body.at(-1))).toBe('and thanks');
});

test.each([
  ['that is rejected', { confirmed: false }],
  ['that is answered with something else', { result: 'yes, please' }],
])('a call %s is not made, and the model is told', async (_, response) => {
  const { session, call } = await ask();
  const { status, body } = await answer(session, call, response);
  expect(status).toBe(200);
  expect(answersOf(body)).toEqual([{ error: 'This tool call is rejected.' }]);
  expect(await stateOf(session)).not.toHaveProperty('paid');
});

test("the web UI's answer counts, whose response is JSON in a text", async () => {
  const { session, call } = await ask();
  await answer(session, call, { response: JSON.stringify({ confirmed: true }) });
  expect(await stateOf(session)).toMatchObject({ paid: 'yes' });
});

test.each([
  ['is no JSON', 'yes'],
  ['is a list', '[1]'],
  ['is null', 'null'],
])('an answer whose text %s is refused, and the run still waits', async (_, text) => {
  const { session, call, invocationId } = await ask();
  const { status, body } = await answer(session, call, { response: text });
  expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining('adk_request_confirmation')]);
  expect((await caller.request('GET', `/runs/${invocationId}`)).body).toMatchObject({ status: 'waiting' });
  await answer(session, call, { confirmed: true });
  expect(await stateOf(session)).toMatchObject({ paid: 'yes' });
});

test('an agent that is a record asks for approval of the tools that it names, and so does one of its YAML', async () => {
  const tools = { agent_tools: ['set_state'], confirm_tools: ['set_state'] };
  const id = await makeAgent(caller, { agent_name: 'careful', ...tools });
  const session = await caller.createSession(`agent${id}`);
  const { body } = await caller.run(session, '[[state:paid=yes]]');
  expect(JSON.stringify(body)).toContain('adk_request_confirmation');
  expect(await stateOf(session)).not.toHaveProperty('paid');
  const yaml = await (await caller.fetch('GET', `/api/agents/${id}/yaml`)).text();
  expect(yaml).toContain('require_confirmation: true');
  const bad = await caller.request('PUT', `/api/agents/${id}`, { ...fields, ...tools, agent_tools: ['http_get'] });
  expect([bad.status, JSON.stringify(bad.body)]).toEqual([422, expect.stringContaining('confirm_tools')]);
});

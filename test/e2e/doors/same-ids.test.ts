import { TaskState } from '@a2a-js/sdk';
import { afterAll, beforeEach, expect, inject, test } from 'vitest';
import { type Caller, newAccount, type SessionJson, sessionPath } from '../../caller.ts';
import { answerOf, clientOf, request, send } from './a2a-client.ts';
import { mcpClients, textsOf, toldBy } from './mcp-clients.ts';

const url = inject('meshUrl');
const resources = new AsyncDisposableStack();
afterAll(() => resources.disposeAsync());
const { connect, connectModern } = mcpClients(resources);
let caller: Caller;
beforeEach(async () => {
  caller = await newAccount(url);
});

const sessionOf = (appName: string, id: string): SessionJson => ({ appName, userId: 'user', id }) as SessionJson;
const stateOf = async (session: SessionJson) => (await caller.readSession(session)).state;
const runOf = async (id: string) => (await caller.request(`GET`, `/runs/${id}`)).body;

/** Copies a session whose run waits for an approval, and rejects the call in the copy: its run is the newest with the id. */
async function rejectInCopy(session: SessionJson, invocationId: string): Promise<SessionJson> {
  const { body: copy } = await caller.request<SessionJson>('POST', `${sessionPath(session)}/fork`, { invocationId });
  const { waitingFor } = (await runOf(invocationId)) as { waitingFor: { functionCallId: string; name: string }[] };
  const [{ functionCallId: id, name } = { functionCallId: '', name: '' }] = waitingFor;
  const functionResponse = { id, name, response: { confirmed: false } };
  await caller.run(copy, '', { newMessage: { role: 'user', parts: [{ functionResponse }] } });
  expect(await runOf(invocationId)).toMatchObject({ sessionId: copy.id, status: 'completed' });
  return copy;
}

test('an MCP client answers the run of the session that the result names, also when a copy of the session has a newer run with its id', async () => {
  const client = await connect(caller);
  const waits = await client.callTool({ name: 'approve', arguments: { message: '[[state:paid=yes]]' } });
  const { run_id: runId, session_id } = toldBy(waits);
  const session = sessionOf('approve', session_id);
  const copy = await rejectInCopy(session, runId);
  const shown = /^\{.*"answer".*\}\}/m.exec(textsOf(waits).join('\n'))?.[0] ?? '';
  const went = await client.callTool({ name: 'approve', arguments: JSON.parse(shown) as Record<string, unknown> });
  expect(toldBy(went)).toMatchObject({ status: 'completed', run_id: runId, session_id });
  expect([await stateOf(session), await stateOf(copy)]).toEqual([{ paid: 'yes' }, {}]);
});

test('a form of an MCP client answers the run that has asked, also when a copy of its session has a newer run with its id', async () => {
  const client = await connectModern(caller, '/mcp/approve', { elicitation: { form: {} } });
  const sessions: SessionJson[] = [];
  client.setRequestHandler('elicitation/create', async () => {
    const { body } = await caller.request<{ invocationId: string; sessionId: string }[]>('GET', '/runs?app=approve');
    const [{ invocationId, sessionId } = { invocationId: '', sessionId: '' }] = body;
    const session = sessionOf('approve', sessionId);
    sessions.push(session, await rejectInCopy(session, invocationId));
    return { action: 'accept', content: { confirmed: true } };
  });
  const told = toldBy(await client.callTool({ name: 'approve', arguments: { message: '[[state:paid=yes]]' } }));
  expect(told).toMatchObject({ status: 'completed', session_id: sessions[0]?.id });
  expect(await Promise.all(sessions.map(stateOf))).toEqual([{ paid: 'yes' }, {}]);
});

test('an A2A client answers the task of the context that its message names, also when a copy of the session has a newer run with its id', async () => {
  const client = await clientOf(caller, 'approve');
  const { id: taskId, contextId } = await send(client, '[[state:paid=yes]]');
  const session = sessionOf('approve', contextId);
  const copy = await rejectInCopy(session, taskId);
  const over = await send(client, 'yes', { taskId, contextId });
  expect([over.contextId, over.status?.state]).toEqual([contextId, TaskState.TASK_STATE_COMPLETED]);
  expect([await stateOf(session), await stateOf(copy)]).toEqual([{ paid: 'yes' }, {}]);
  const elsewhere = client.sendMessage(request('yes', { taskId, contextId: 'none' }));
  await expect(elsewhere).rejects.toThrow('There is no task');
});

test('a door that is told an id alone finds the newest run that has it, and never one of another account', async () => {
  const other = await newAccount(url);
  const [older, newer] = [await caller.createSession(), await caller.createSession()];
  const invocationId = `e-${older.id}`;
  for (const [by, session, text] of [
    [caller, older, 'older'],
    [caller, newer, 'newer'],
    [other, await other.createSession(), 'of another'],
  ] as const)
    expect(await by.run(session, text, { invocationId })).toMatchObject({ status: 200 });
  const task = await (await clientOf(caller, 'echo')).getTask({ tenant: '', id: invocationId });
  expect([task.contextId, answerOf(task)]).toEqual([newer.id, 'newer']);
  const response = await caller.request('GET', `/v1/responses/resp_${invocationId}`);
  expect(JSON.stringify(response.body['output'])).toContain('"newer"');
});

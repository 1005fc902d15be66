import { beforeAll, expect, inject, test } from 'vitest';
import { type Caller, newAccount, type SessionJson } from '../../caller.ts';
import { makeAgent } from '../agents/make-agent.ts';

interface Call {
  readonly functionCallId: string;
  readonly name: string;
}

interface Run {
  readonly invocationId: string;
  readonly status: string;
  readonly attempt: number;
  readonly waitingFor?: Call[];
  readonly customMetadata?: object;
}

let caller: Caller;
beforeAll(async () => {
  caller = await newAccount(inject('meshUrl'));
});

const read = async (id: string) => (await caller.request<Run>('GET', `/runs/${id}`)).body;
const post = (id: string, body: object, by = caller) => by.request('POST', `/runs/${id}/answer`, body);
const answerTo = ({ functionCallId: id, name }: Call, response: object) => ({ id, name, response });

/** Runs an agent until it waits. */
async function wait(text: string, app = 'echo', over: object = {}): Promise<{ run: Run; session: SessionJson }> {
  const session = await caller.createSession(app);
  const { headers } = await caller.run(session, text, over);
  const run = await read(headers.get('x-invocation-id') ?? '');
  expect(run).toMatchObject({ status: 'waiting', attempt: 1 });
  return { run, session };
}

const firstCall = ({ waitingFor: [call] = [] }: Run): Call => call as Call;

test('a tool is called once when it is approved by its run, in the same invocation', async () => {
  const { run, session } = await wait('[[state:paid=yes]]', 'approve', { customMetadata: { order: 7 } });
  const inbox = await caller.request<Run[]>('GET', `/runs?status=waiting&app=approve&session=${session.id}&user=u1`);
  expect(inbox.body).toMatchObject([{ invocationId: run.invocationId, waitingFor: run.waitingFor }]);
  const functionResponse = answerTo(firstCall(run), { confirmed: true });
  const { status, body } = await post(run.invocationId, { functionResponse });
  expect([status, body['invocationId']]).toEqual([202, run.invocationId]);
  await expect.poll(async () => (await read(run.invocationId)).status).toBe('completed');
  expect(await read(run.invocationId)).toMatchObject({ attempt: 2, customMetadata: { order: 7 } });
  const { state, events } = await caller.readSession(session);
  expect(state).toMatchObject({ paid: 'yes' });
  expect(new Set(events.map(({ invocationId }) => invocationId))).toEqual(new Set([run.invocationId]));
  const again = await post(run.invocationId, { functionResponse });
  expect(again).toMatchObject({ status: 409, body: { code: 'run_not_waiting' } });
});

test('only one of twelve answers at once, over three routes, counts', async () => {
  const { run, session } = await wait('[[tool:request_input {}]]');
  const call = firstCall(run);
  const send = (number: number) => {
    const functionResponse = answerTo(call, { result: `answer ${number}` });
    if (number % 3 === 0) return post(run.invocationId, { functionResponses: [functionResponse] });
    const newMessage = { role: 'user', parts: [{ functionResponse }] };
    const named = number % 3 === 1 ? {} : { invocationId: run.invocationId };
    return caller.run(session, '', { newMessage, ...named });
  };
  const results = await Promise.all(Array.from({ length: 12 }, (_, number) => send(number)));
  const codes = results.map(({ status, body }) => (body as { code?: string }).code ?? status);
  expect(codes.filter((code) => code === 200 || code === 202)).toHaveLength(1);
  for (const code of codes.filter((one) => typeof one === 'string'))
    expect(['run_not_waiting', 'run_in_progress']).toContain(code);
  await expect.poll(async () => (await read(run.invocationId)).status).toBe('completed');
  const { events } = await caller.readSession(session);
  expect(events.filter(({ author }) => author === 'user')).toHaveLength(2);
  expect((await read(run.invocationId)).attempt).toBe(2);
});

test('a message that is no answer to the run is refused, and it still waits', async () => {
  const { run } = await wait('[[tool:request_input {}]]');
  const call = firstCall(run);
  const good = answerTo(call, { result: 'yes' });
  for (const functionResponses of [
    [{ ...good, id: 'other' }],
    [{ ...good, name: 'set_state' }],
    [good, good],
    [good, { ...good, id: 'other' }],
  ]) {
    const { status, body } = await post(run.invocationId, { functionResponses });
    expect({ status, body }).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'functionResponse'] }], code: 'answer_not_awaited' },
    });
  }
  for (const body of [{}, { functionResponse: good, functionResponses: [good] }, { functionResponses: [] }]) {
    expect((await post(run.invocationId, body)).status).toBe(422);
  }
  expect((await post(run.invocationId, { functionResponse: { ...good, response: 'yes' } })).status).toBe(422);
  const stranger = await newAccount(inject('meshUrl'));
  for (const id of [run.invocationId, 'e-none']) {
    const missing = { status: 404, body: { code: 'run_not_found' } };
    expect(await post(id, { functionResponse: good }, stranger)).toMatchObject(missing);
  }
  expect(await read(run.invocationId)).toEqual(run);
});

test('a run that waits longer than its agent allows gets the answer that its agent names', async () => {
  const late = { agent_tools: ['request_input'], answer_timeout_seconds: 1, default_answer: { result: 'by default' } };
  const id = await makeAgent(caller, { agent_name: 'late', ...late });
  const session = await caller.createSession(`agent${id}`);
  const { headers } = await caller.run(session, '[[tool:request_input {}]]');
  const invocationId = headers.get('x-invocation-id') ?? '';
  await expect.poll(() => read(invocationId), { timeout: 30_000 }).toMatchObject({ status: 'completed', attempt: 2 });
  expect(JSON.stringify((await caller.readSession(session)).events)).toContain('by default');
  const yaml = await (await caller.fetch('GET', `/api/agents/${id}/yaml`)).text();
  expect(yaml).toContain('answer_timeout_seconds: 1');
});

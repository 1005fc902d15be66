import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import OpenAI from 'openai';
import type { Response, ResponseInputItem, ResponseStreamEvent } from 'openai/resources/responses/responses';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { Caller, newAccount, type SessionJson, textOf } from '../../caller.ts';

const url = inject('meshUrl');
let account: Caller;
let client: OpenAI;

/** Two agents that speak at once; an app of each project's mesh, made while the mesh runs. */
const chorus = 'chorus';
const folder = join(inject('agentsDir'), chorus);

beforeAll(async () => {
  await mkdir(folder, { recursive: true });
  for (const name of ['one', 'two'])
    await writeFile(join(folder, `${name}.yaml`), `name: ${name}\nmodel: echo/default\n`);
  const parts = ['one', 'two'].map((name) => `  - config_path: ${name}.yaml\n`).join('');
  await writeFile(join(folder, 'root_agent.yaml'), `name: chorus\nagent_class: ParallelAgent\nsub_agents:\n${parts}`);
  account = await newAccount(url);
  client = clientOf(account);
});

afterAll(() => rm(folder, { recursive: true }));

const clientOf = ({ token = 'none' }: Caller) => new OpenAI({ baseURL: `${url}/v1`, apiKey: token, maxRetries: 0 });
const sessionOf = async (id = '', app = 'echo') =>
  (await account.request<SessionJson>('GET', `/apps/${app}/users/user/sessions/${id}`)).body;
const textsOf = ({ events }: SessionJson) => events.map(textOf).filter((text) => text !== '');
const statusOf = async (id: string) => (await client.responses.retrieve(id)).status;

async function collect(stream: AsyncIterable<ResponseStreamEvent>): Promise<ResponseStreamEvent[]> {
  const events: ResponseStreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

const deltasOf = (events: readonly ResponseStreamEvent[]) =>
  events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('');
const from = (id: string, after?: number) =>
  client.responses.retrieve(id, { stream: true, ...(after !== undefined && { starting_after: after }) });
const callIn = ({ output }: Response) => {
  const [call] = output.filter((item) => item.type === 'function_call');
  if (call === undefined) throw new Error('the response has no call');
  return call;
};
const outputOf = (callId: string, output: string): ResponseInputItem[] => [
  { type: 'function_call_output', call_id: callId, output },
];

test('a response is the answer of an app, and is read again by its id', async () => {
  const metadata = { order: '7' };
  const { data, response } = await client.responses
    .create({ model: 'echo', input: 'Hello, mesh', metadata })
    .withResponse();
  expect(data).toMatchObject({
    id: `resp_${response.headers.get('x-invocation-id')}`,
    object: 'response',
    model: 'echo',
    status: 'completed',
    output_text: 'Hello, mesh',
    output: [{ type: 'message', role: 'assistant', status: 'completed' }],
    metadata,
    usage: { input_tokens: 2, output_tokens: 2, total_tokens: 4 },
  });
  expect(await client.responses.retrieve(data.id)).toEqual(data);
});

test('the events of a response are those of OpenAI, and its client makes the response of them', async () => {
  const stream = client.responses.stream({ model: 'echo', input: '[[wait:300]]one two three' });
  const events = await collect(stream);
  expect([...new Set(events.map(({ type }) => type))]).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.completed',
  ]);
  expect(deltasOf(events)).toBe('one two three');
  expect(events.filter(({ type }) => type === 'response.output_text.delta').length).toBeGreaterThan(1);
  const numbers = events.map(({ sequence_number: number }) => number);
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  const final = await stream.finalResponse();
  expect(final.output_text).toBe('one two three');
  expect(await client.responses.retrieve(final.id)).toMatchObject({ output_text: 'one two three' });
});

test('a stream goes on behind each of its events, also when the words of it are gone', async () => {
  const made = await client.responses.create({ model: 'flow', input: '[[wait:300]]one two three', stream: true });
  const live = await collect(made);
  const [first] = live;
  const id = first?.type === 'response.created' ? first.response.id : '';
  const text = deltasOf(live);
  let said = '';
  for (const event of live.slice(0, -1)) {
    if (event.type === 'response.output_text.delta') said += event.delta;
    const rest = await collect(await from(id, event.sequence_number));
    expect(said + deltasOf(rest)).toBe(text);
    expect(rest.every(({ sequence_number: number }) => number > event.sequence_number)).toBe(true);
    expect(rest.at(-1)).toEqual(live.at(-1));
  }
  const types = (events: readonly ResponseStreamEvent[]) => events.map(({ type }) => type);
  const isRepeated = (type: string, at: number, all: readonly string[]) => type === all[at - 1];
  const again = types(await collect(await from(id)));
  expect(again).toEqual(types(live).filter((type, at, all) => !isRepeated(type, at, all)));
});

test('agents that speak at once are told one after the other, and a stream of them goes on behind each event', async () => {
  const made = await client.responses.create({ model: chorus, input: 'one [[wait:300]]two', stream: true });
  const live = await collect(made);
  expect(live.filter(({ type }) => type === 'response.output_item.done')).toHaveLength(2);
  const id = live[0]?.type === 'response.created' ? live[0].response.id : '';
  let said = '';
  for (const event of live) {
    if (event.type === 'response.output_text.delta') said += event.delta;
    expect(said + deltasOf(await collect(await from(id, event.sequence_number)))).toBe(deltasOf(live));
  }
  const messages = [{ role: 'user' as const, content: 'one [[wait:300]]two' }];
  let streamed = '';
  for await (const { choices } of await client.chat.completions.create({ model: chorus, messages, stream: true }))
    streamed += choices[0]?.delta.content ?? '';
  expect(streamed).toBe('one two\n\none two');
});

test('a response in the background is started at once, watched while it goes on, and cancelled', async () => {
  const begun = await client.responses.create({ model: 'echo', input: '[[wait:900]]late', background: true });
  expect(['queued', 'in_progress']).toContain(begun.status);
  const events = await collect(await from(begun.id));
  expect(deltasOf(events)).toBe('late');
  expect(await statusOf(begun.id)).toBe('completed');
  const long = await client.responses.create({ model: 'echo', input: '[[wait:60000]]never', background: true });
  await expect.poll(() => statusOf(long.id)).toBe('in_progress');
  expect(await client.responses.cancel(long.id)).toMatchObject({ id: long.id, status: 'cancelled' });
  expect(await client.responses.cancel(long.id)).toMatchObject({ status: 'cancelled' });
  expect((await collect(await from(long.id))).at(-1)).toMatchObject({ response: { status: 'cancelled' } });
});

test('a stream that is cut goes on while its run does', async () => {
  const input = 'one [[wait:600]]two [[wait:600]]three';
  const made = await client.responses.create({ model: 'echo', input, stream: true });
  const seen: ResponseStreamEvent[] = [];
  for await (const event of made) {
    seen.push(event);
    if (event.type === 'response.output_text.delta') break;
  }
  const [first] = seen;
  const id = first?.type === 'response.created' ? first.response.id : '';
  const rest = await collect(await from(id, seen.at(-1)?.sequence_number));
  const { output_text: text } = await client.responses.retrieve(id);
  expect(deltasOf([...seen, ...rest])).toBe(text);
});

test('a previous response and a conversation name the session', async () => {
  const conversation = randomUUID();
  const input = [{ role: 'user' as const, content: [{ type: 'input_text' as const, text: 'first' }] }];
  const first = await client.responses.create({ model: 'echo', input, conversation, instructions: 'Be brief.' });
  expect(first.conversation).toEqual({ id: conversation });
  const next = { model: 'echo', previous_response_id: first.id, instructions: 'Be brief.' };
  const second = await client.responses.create({ ...next, input: 'second' });
  const session = await sessionOf(conversation);
  expect(textsOf(session).slice(-2)).toEqual(['second', second.output_text]);
  expect(session.events[0]?.content?.parts).toMatchObject([{ text: 'Be brief.' }, { text: 'first' }]);
  const echoed = [...input, ...first.output, { role: 'user' as const, content: 'third' }] as ResponseInputItem[];
  await client.responses.create({ model: 'echo', input: echoed, conversation: { id: conversation } });
  expect(textsOf(await sessionOf(conversation)).slice(-2)).toEqual(['third', 'third']);
  const other = client.responses.create({ model: 'approve', input: 'x', previous_response_id: first.id });
  await expect(other).rejects.toMatchObject({ status: 400, param: 'previous_response_id' });
});

test('a run that waits has its calls as output, and an answer to them is a response of its own', async () => {
  const asked = await client.responses.create({ model: 'approve', input: '[[state:paid=yes]]' });
  const call = callIn(asked);
  expect([asked.status, call.name]).toEqual(['completed', 'adk_request_confirmation']);
  const answer = { model: 'approve', input: outputOf(call.call_id, '{"confirmed": true}') };
  const stranger = clientOf(await newAccount(url)).responses.create(answer);
  await expect(stranger).rejects.toMatchObject({ status: 404 });
  const answered = await client.responses.create({ ...answer, previous_response_id: asked.id });
  expect(answered.status).toBe('completed');
  expect(answered.id).not.toBe(asked.id);
  expect((await sessionOf(answered.conversation?.id, 'approve')).state).toMatchObject({ paid: 'yes' });
  expect(await client.responses.retrieve(answered.id)).toEqual(answered);
  const before = await client.responses.retrieve(asked.id);
  expect(before.output).toEqual(asked.output);
  const events = await collect(await from(asked.id));
  expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { output: asked.output } });
  await expect(client.responses.create(answer)).rejects.toMatchObject({ status: 409, code: 'run_not_waiting' });
  const streamed = client.responses.stream({ model: 'approve', input: '[[state:paid=yes]]' });
  await collect(streamed);
  expect(callIn(await streamed.finalResponse())).toMatchObject({ name: call.name, arguments: expect.any(String) });
});

test('a failed run is a failed response, with its text', async () => {
  const input = '[[fail:out of ideas]]';
  const failed = await client.responses.create({ model: 'echo', input });
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'ECHO_FAIL' } });
  expect(failed.error?.message).toContain('out of ideas');
  const events = await collect(await client.responses.create({ model: 'echo', input, stream: true }));
  expect(events.at(-1)).toMatchObject({ type: 'response.failed', response: { error: { code: 'ECHO_FAIL' } } });
});

test('a response with a key that is sent again is the same one', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const one = await client.responses.create({ model: 'echo', input: 'once' }, { headers });
  expect(await client.responses.create({ model: 'echo', input: 'once' }, { headers })).toEqual(one);
});

test('responses of others are not found, and those of a bound token are its user’s', async () => {
  const { id } = await client.responses.create({ model: 'echo', input: 'mine' });
  const stranger = clientOf(await newAccount(url));
  const others = [
    () => stranger.responses.retrieve(id),
    () => stranger.responses.cancel(id),
    () => client.responses.retrieve('x'),
    () => client.responses.retrieve(`${id}~never`),
  ];
  for (const other of others) await expect(other()).rejects.toMatchObject({ status: 404, type: 'not_found_error' });
  const next = stranger.responses.create({ model: 'echo', input: 'x', previous_response_id: id });
  await expect(next).rejects.toMatchObject({ status: 404 });
  const token = async (fields: object) =>
    (await account.request<{ token: string }>('POST', '/api/auth/tokens', { name: 'door', ...fields })).body;
  const bound = clientOf(new Caller(url, (await token({ scopes: ['runs:read'], user_id: 'u1' })).token));
  await expect(bound.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
  await expect(bound.responses.cancel(id)).rejects.toMatchObject({ status: 403 });
  await expect(bound.responses.create({ model: 'echo', input: 'x' })).rejects.toMatchObject({ status: 403 });
});

test('requests that cannot be served name their fault', async () => {
  const refused: [string, object][] = [
    ['input', { input: [] }],
    ['input', { input: 7 }],
    ['input.0.type', { input: [{ type: 'item_reference', id: 'x' }] }],
    ['input.0.role', { input: [{ role: 'robot', content: 'x' }] }],
    ['input.0.content.0.image_url', { input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'x' }] }] }],
    ['input.0.call_id', { input: outputOf('call_1', 'x') }],
    ['store', { store: false }],
    ['tools', { tools: [{ type: 'web_search' }] }],
    ['text.format', { text: { format: { type: 'json_schema' } } }],
    ['conversation', { conversation: { id: '' } }],
    ['conversation', { conversation: 'a', previous_response_id: 'resp_a' }],
  ];
  for (const [param, fields] of refused) {
    const answer = await account.request('POST', '/v1/responses', { model: 'echo', input: 'x', ...fields });
    expect({ fields, ...answer }).toMatchObject({ status: 400, body: { error: { param } } });
  }
});

test('an unknown model is refused with the words that models are apps, and where they are listed', async () => {
  const told = { status: 404, message: expect.stringMatching(/ecko.* apps.*GET \/v1\/models/) };
  const refused = { ...told, code: 'app_not_found', type: 'not_found_error' };
  const messages = [{ role: 'user' as const, content: 'hello' }];
  await expect(client.chat.completions.create({ model: 'ecko', messages })).rejects.toMatchObject(refused);
  await expect(client.responses.create({ model: 'ecko', input: 'hello' })).rejects.toMatchObject(refused);
  await expect(client.models.retrieve('ecko')).rejects.toMatchObject(told);
});

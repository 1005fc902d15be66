import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Caller, newAccount, textOf } from '../../caller.ts';
import { type FakeAnthropic, startFakeAnthropic } from '../../fakes/anthropic/index.ts';
import { type FakeGemini, startFakeGemini } from '../../fakes/gemini/index.ts';
import { type FakeOpenAi, startFakeOpenAi } from '../../fakes/openai.ts';
import type { FakeAnswer } from '../../fakes/openai-answer.ts';
import { agentsDir, startMesh } from '../../mesh.ts';

const resources = new AsyncDisposableStack();
let openAi: FakeOpenAi;
let anthropic: FakeAnthropic;
let gemini: FakeGemini;
let caller: Caller;

beforeAll(async () => {
  const database = resources.use(await testDatabaseUrl());
  openAi = resources.use(await startFakeOpenAi({ apiKey: 'sk-test-secret' }));
  anthropic = resources.use(await startFakeAnthropic({ apiKey: 'sk-ant-test-secret' }));
  gemini = resources.use(await startFakeGemini({ apiKey: 'goog-test-secret' }));
  const env = {
    GEMINI_API_KEY: 'goog-test-secret',
    GEMINI_BASE_URL: gemini.baseUrl,
    ANTHROPIC_API_KEY: 'sk-ant-test-secret',
    ANTHROPIC_BASE_URL: anthropic.baseUrl,
    AGENTS_DIR: agentsDir,
    OPENAI_BASE_URL: openAi.baseUrl,
    OPENAI_API_KEY: 'sk-test-secret',
    RUNS_MODEL_TIMEOUT_SECONDS: '3',
  };
  const mesh = resources.use(await startMesh({ mode: inject('mode'), databaseUrl: database.url, env }));
  caller = await newAccount(mesh.url);
});
afterAll(() => resources.disposeAsync());

describe('an OpenAI-compatible server', () => {
  test('answers word by word and whole, with usage', async () => {
    const session = await caller.createSession('chat');
    openAi.answer({ text: 'The answer is forty-two.' });
    const frames = await caller.runSse(session, 'What is the answer?', { streaming: true });
    expect(
      frames
        .filter((event) => event.partial)
        .map(textOf)
        .join(''),
    ).toBe('The answer is forty-two.');
    expect(frames.at(-1)).toMatchObject({ finishReason: 'STOP', usageMetadata: expect.any(Object) });
    expect(textOf(frames.at(-1))).toBe('The answer is forty-two.');
  });

  test('remembers the conversation', async () => {
    const session = await caller.createSession('chat');
    await caller.run(session, 'first question');
    await caller.run(session, 'second question');
    const sent = JSON.stringify(openAi.requests.at(-1));
    for (const text of ['Be brief.', 'first question', 'ok', 'second question']) expect(sent).toContain(text);
  });

  test('summarizes a session in the background: turns get the summary and what follows it, and the session keeps all events', async () => {
    const session = await caller.createSession('digest');
    const summaries = async () =>
      (await caller.readSession(session)).events.filter(({ actions }) => actions['compaction']);
    const sent = () => openAi.requests.at(-1)?.messages.map(({ content }) => content);
    await caller.run(session, 'My parrot is Pepe.');
    openAi.answer({ text: 'Green.' }, { text: 'The parrot is called Pepe, and is green.' });
    await caller.run(session, 'What colour is it?');
    await expect.poll(summaries, { timeout: 30_000 }).toHaveLength(1);
    expect(openAi.requests.at(-1)).toMatchObject({ model: 'summary-model' });
    const told = 'Summarize:\nuser: My parrot is Pepe.\ndigest: ok\nuser: What colour is it?\ndigest: Green.';
    expect(sent()).toEqual([told]);
    const [summary] = await summaries();
    const compactedContent = { role: 'model', parts: [{ text: 'The parrot is called Pepe, and is green.' }] };
    expect(summary).toMatchObject({ author: 'user', actions: { compaction: { compactedContent } } });
    expect(summary?.content).toBeUndefined();

    await caller.run(session, 'And its age?');
    const known = ['[Previous Context Summary]:\nThe parrot is called Pepe, and is green.', 'And its age?'];
    const [system, ...messages] = sent() ?? [];
    expect(system).toMatch('Be brief.');
    expect(messages).toEqual(known);
    const { events } = await caller.readSession(session);
    expect(events.map(textOf)).toEqual([
      'My parrot is Pepe.',
      'ok',
      'What colour is it?',
      'Green.',
      '',
      'And its age?',
      'ok',
    ]);
    const times = [events[0]?.timestamp, events[3]?.timestamp];
    expect(summary?.actions['compaction']).toMatchObject({ startTimestamp: times[0], endTimestamp: times[1] });
  });

  test('gets with preload_memory what the user said in other sessions', async () => {
    const past = await caller.createSession('recall');
    await caller.run(past, 'My parrot is called Pepe.');
    await caller.request('PATCH', '/apps/recall/users/u1/memory', { sessionId: past.id });
    const session = await caller.createSession('recall');
    await caller.run(session, 'What is my parrot called?');
    const [system] = openAi.requests.at(-1)?.messages ?? [];
    expect(system).toMatchObject({ role: 'system', content: expect.stringContaining('<PAST_CONVERSATIONS>') });
    expect(system).toMatchObject({ content: expect.stringContaining('user: My parrot is called Pepe.') });
    const elsewhere = await newAccount(caller.url);
    await elsewhere.run(await elsewhere.createSession('recall'), 'What is my parrot called?');
    expect(JSON.stringify(openAi.requests.at(-1))).not.toContain('Pepe');
  });

  test('calls a tool and goes on with its result', async () => {
    const session = await caller.createSession('chat');
    openAi.answer(
      { toolCalls: [{ id: 'call_1', name: 'get_current_time', arguments: '{}' }] },
      { text: 'It is late.' },
    );
    const { body } = await caller.run(session, 'What time is it?');
    expect(body.map((event) => Object.keys(event.content?.parts?.[0] ?? {})[0])).toEqual([
      'functionCall',
      'functionResponse',
      'text',
    ]);
  });

  const failures: [string, FakeAnswer][] = [
    [
      'refuses',
      { status: 400, error: { message: 'context too long', type: 'x', param: null, code: 'context_length_exceeded' } },
    ],
    ['hangs', 'hang'],
    ['breaks off', 'break'],
    ['streams garbage', { status: 200, contentType: 'text/event-stream', body: 'data: {"choices": nonsense\n\n' }],
    ['shows a page', { status: 200, contentType: 'text/html', body: '<html>Bad gateway</html>' }],
  ];

  test.each(failures)('that %s ends the run with a stored, visible event', { timeout: 120_000 }, async (_, answer) => {
    const session = await caller.createSession('chat');
    openAi.answer(answer, answer, answer, answer, answer, answer);
    const frames = await caller.runSse(session, 'hello', { streaming: true });
    const stored = await caller.readSession(session);
    expect(stored.events.at(-1)).toMatchObject({ errorCode: expect.any(String), errorMessage: expect.any(String) });
    expect(frames.some((frame) => frame.id === stored.events.at(-1)?.id)).toBe(true);
    expect(JSON.stringify(stored)).not.toContain('sk-test-secret');
    openAi.forget();
  });

  test('that is away for two calls is asked again, and the log of the run says so without keys', async () => {
    const session = await caller.createSession('chat');
    const away = { status: 503, error: { message: 'sk-test-secret is tired' } };
    openAi.answer(away, away, { text: 'There.' });
    const { headers } = await caller.run(session, 'hello');
    const path = `/runs/${headers.get('x-invocation-id')}/log`;
    const read = async () => (await caller.request<{ lines: { message: string }[] }>('GET', path)).body.lines;
    await expect.poll(async () => (await read()).length).toBe(2);
    const message = expect.stringMatching(
      /^The call of the model openai\/\S+ is repeated in \d\.\d s: \[key\] is tired$/,
    );
    const attributes = { model: expect.stringContaining('openai/'), errorCode: 'UNAVAILABLE' };
    expect(await read()).toMatchObject(Array(2).fill({ level: 'warn', message, attributes }));
    openAi.answer({ status: 400, error: { message: 'sk-test-secret is refused' } });
    const failed = await caller.run(await caller.createSession('chat'), 'hello');
    const refused = `/runs/${failed.headers.get('x-invocation-id')}/log`;
    const last = async () => (await caller.request<{ lines: object[] }>('GET', refused)).body.lines;
    await expect.poll(async () => (await last()).length).toBe(1);
    expect(await last()).toMatchObject([
      { level: 'error', message: expect.stringMatching(/^The model openai\/\S+ has failed: \[key\] is refused$/) },
    ]);
  });

  test('that refuses two runs with one id is in the log of each, which its session names', async () => {
    const [older, newer] = [await caller.createSession('chat'), await caller.createSession('chat')];
    const invocationId = `logged-${older.id}`;
    for (const [session, message] of [
      [older, 'not the first'],
      [newer, 'not the second'],
    ] as const) {
      openAi.answer({ status: 400, error: { message } });
      await caller.run(session, 'hello', { invocationId });
    }
    const read = async (query: string) => {
      const { body } = await caller.request<{ lines: object[] }>('GET', `/runs/${invocationId}/log${query}`);
      return JSON.stringify(body.lines.map((line) => 'message' in line && line.message));
    };
    await expect.poll(() => read('')).toMatch(/^\["The model \S+ has failed: not the second"\]$/);
    await expect
      .poll(() => read(`?app=chat&session=${older.id}`))
      .toMatch(/^\["The model \S+ has failed: not the first"\]$/);
  });
});

/** Runs a vendor's app and checks the streamed events, the stored events, and the next request to the vendor. */
async function thinkAndCall(app: string): Promise<void> {
  const session = await caller.createSession(app);
  const frames = await caller.runSse(session, 'What time is it?', { streaming: true });
  const whole = frames.filter(({ partial }) => partial !== true);
  // The last partial event may carry only why and with how many tokens the answer ended.
  const words = frames.filter(({ partial }) => partial).map(textOf);
  expect(words.filter((it) => it !== '')).toEqual(['What ', 'time?', 'Let me see. ', 'It is ', 'late.']);
  const functionCall = { id: 'call_1', name: 'get_current_time', args: {} };
  const parts = whole.map(({ content }) => content?.parts);
  expect(parts).toMatchObject([
    [{ text: 'What time?', thought: true }, { text: 'Let me see. ' }, { functionCall }],
    [{ functionResponse: { id: 'call_1', name: 'get_current_time' } }],
    [{ text: 'It is late.' }],
  ]);
  expect(JSON.stringify(parts[0])).toMatch(/"thoughtSignature":"[\w-]+=*"/);
  expect(whole.at(-1)).toMatchObject({ finishReason: 'STOP', usageMetadata: { totalTokenCount: 18 } });
  const { events } = await caller.readSession(session);
  expect(events.slice(1).map(({ id }) => id)).toEqual(whole.map(({ id }) => id));
  const next = await caller.run(session, 'And now?');
  expect(next.body.map(textOf)).toEqual(['ok']);
}

test('Anthropic thinks, calls a tool and goes on with its result, streamed and stored', async () => {
  const call = { id: 'call_1', name: 'get_current_time', input: {} };
  anthropic.answer(
    { blocks: [{ thinking: ['What ', 'time?'] }, { text: 'Let me see. ' }, { call }] },
    { blocks: [{ text: ['It is ', 'late.'] }] },
  );
  await thinkAndCall('claude');
  expect(anthropic.requests.at(-1)?.messages).toHaveLength(5);
});

test('Gemini thinks, calls a tool and goes on with its result, streamed and stored', async () => {
  const call = { id: 'call_1', name: 'get_current_time', args: {} };
  gemini.answer(
    { parts: [{ thought: ['What ', 'time?'] }, { text: 'Let me see. ' }, { call, signed: true }] },
    { parts: [{ text: ['It is ', 'late.'], signed: true }] },
  );
  await thinkAndCall('gemini');
  expect(gemini.requests.at(-1)?.contents).toHaveLength(5);
});

test('the sources that Gemini names are on the final event, both streamed and stored', async () => {
  const session = await caller.createSession('gemini');
  const groundingMetadata = { webSearchQueries: ['zebras'] };
  const citations = [{ startIndex: 0, endIndex: 4, uri: 'https://a.example' }];
  gemini.answer({
    parts: [{ text: ['so ', 'it is'] }],
    groundingMetadata,
    citationMetadata: { citationSources: citations },
  });
  const frames = await caller.runSse(session, 'What do zebras eat?', { streaming: true });
  expect(frames.at(-1)).toMatchObject({ groundingMetadata, citationMetadata: { citations } });
  expect((await caller.readSession(session)).events.at(-1)).toEqual(frames.at(-1));
});

test.each([
  ['chat', () => openAi, 'data:image/png;base64,+/8='],
  ['claude', () => anthropic, '"data":"+/8="'],
  ['gemini', () => gemini, '"data":"+/8="'],
])('%s is shown a picture of the message, in either alphabet of base64', async (app, fakeOf, shown) => {
  for (const data of ['-_8=', '+/8=']) {
    const session = await caller.createSession(app);
    const parts = [{ text: 'What is this?' }, { inlineData: { mimeType: 'image/png', data, displayName: 'a.png' } }];
    const { body } = await caller.run(session, '', { newMessage: { role: 'user', parts } });
    expect(body.map(textOf)).toEqual(['ok']);
    expect(JSON.stringify(fakeOf().requests.at(-1)?.body)).toContain(shown);
  }
});

test.each([
  ['chat', 'OPENAI_API_KEY'],
  ['claude', 'ANTHROPIC_API_KEY'],
  ['gemini', 'GEMINI_API_KEY'],
])('without a key, %s answers with a stored event that names the setting', async (app, setting) => {
  const keyless = await newAccount(inject('meshUrl'));
  const session = await keyless.createSession(app);
  const missing = { errorCode: 'MODEL_KEY_MISSING', errorMessage: expect.stringContaining(setting) };
  expect(await keyless.runSse(session, 'hello', { streaming: true })).toMatchObject([
    missing,
    { error: expect.stringContaining(setting) },
  ]);
  expect((await keyless.readSession(session)).events.at(-1)).toMatchObject(missing);
});

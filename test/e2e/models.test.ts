import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Caller, newAccount, textOf } from '../caller.ts';
import { type FakeOpenAi, startFakeOpenAi } from '../fakes/openai.ts';
import type { FakeAnswer } from '../fakes/openai-answer.ts';
import { agentsDir, startMesh } from '../mesh.ts';

const resources = new AsyncDisposableStack();
let openAi: FakeOpenAi;
let caller: Caller;

beforeAll(async () => {
  const database = resources.use(await testDatabaseUrl());
  openAi = resources.use(await startFakeOpenAi({ apiKey: 'sk-test-secret' }));
  const env = {
    AGENTS_DIR: agentsDir,
    OPENAI_BASE_URL: openAi.baseUrl,
    OPENAI_API_KEY: 'sk-test-secret',
    RUNS_MODEL_TIMEOUT_SECONDS: '1',
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

  test.each(failures)('that %s ends the run with a stored, visible event', { timeout: 40_000 }, async (_, answer) => {
    const session = await caller.createSession('chat');
    openAi.answer(answer, answer, answer, answer, answer, answer);
    const frames = await caller.runSse(session, 'hello', { streaming: true });
    const stored = await caller.readSession(session);
    expect(stored.events.at(-1)).toMatchObject({ errorCode: expect.any(String), errorMessage: expect.any(String) });
    expect(frames.some((frame) => frame.id === stored.events.at(-1)?.id)).toBe(true);
    expect(JSON.stringify(stored)).not.toContain('sk-test-secret');
    openAi.forget();
  });
});

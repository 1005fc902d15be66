import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAddressPolicy, createGuardedApiFetch } from '@agentmesh/lib/outbound';
import type { LlmRequest } from '@google/adk/core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startFakeAnthropic } from '../../../../test/fakes/anthropic/index.ts';
import { startFakeGemini } from '../../../../test/fakes/gemini/index.ts';
import { startFakeOpenAi } from '../../../../test/fakes/openai.ts';
import { startFakeResponses } from '../../../../test/fakes/openai-responses/index.ts';
import { ModelCallError } from './model-call-error.ts';
import { createModels } from './models.ts';
import type { EndedCall } from './use/call-costs.ts';
import type { ModelUse } from './use/model-use.ts';

const secret = 'sk-key-of-an-account';
const serverKey = 'sk-key-of-the-server';
const nowhere = { baseUrl: 'http://127.0.0.1:1', apiKey: serverKey };
const resources = new AsyncDisposableStack();
const bases: Record<string, string> = {};
/** The next answer of the keys service, and the requests that it got. */
let allowed: { modelApiBase: string; secret?: string };
let begun: object[];
let ends: EndedCall[];

const use: ModelUse = {
  begin: async (_request, call) => {
    begun.push(call);
    return { secret, ...allowed, end: (end) => void ends.push(end) };
  },
  settle: async () => undefined,
  flush: async () => undefined,
};

beforeAll(async () => {
  bases['openai'] = resources.use(await startFakeOpenAi({ apiKey: secret })).baseUrl;
  bases['responses'] = resources.use(await startFakeResponses({ apiKey: secret })).baseUrl;
  bases['anthropic'] = resources.use(await startFakeAnthropic({ apiKey: secret })).baseUrl;
  bases['gemini'] = resources.use(await startFakeGemini({ apiKey: secret })).baseUrl;
});
afterAll(() => resources.disposeAsync());
beforeEach(() => {
  begun = [];
  ends = [];
});

const forms = [
  ['chat completions', 'openai/gpt-5-mini', 'openai'],
  ['responses', 'openai/gpt-5-mini', 'responses'],
  ['messages', 'anthropic/claude-sonnet-4-5', 'anthropic'],
  ['generateContent', 'gemini/gemini-2.5-flash', 'gemini'],
] as const;

interface Asked {
  readonly allow?: readonly string[];
  readonly access?: { keyId?: bigint; modelApiBase?: string };
  readonly responses?: boolean;
  readonly stream?: boolean;
  readonly use?: ModelUse;
  readonly signal?: AbortSignal;
}

async function ask(model: string, { allow = ['127.0.0.1'], access = { keyId: 7n }, ...asked }: Asked = {}) {
  const guarded = resources.use(createGuardedApiFetch({ policy: createAddressPolicy(allow) }));
  const openai = { ...nowhere, openAiApi: asked.responses === true ? ('responses' as const) : ('chat' as const) };
  const config = { openai, anthropic: nowhere, gemini: nowhere, timeoutMs: 30_000 };
  const models = createModels(config, { use: asked.use ?? use, guardedFetch: guarded.fetch });
  const request: LlmRequest = {
    contents: [{ role: 'user', parts: [{ text: 'hello' }] }],
    toolsDict: {},
    liveConnectConfig: {},
  };
  return Array.fromAsync(
    models.resolve(model, access).generateContentAsync(request, asked.stream ?? false, asked.signal),
  );
}

describe.each(forms)('by %s', (_, model, form) => {
  const responses = form === 'responses';

  test.each([true, false])('a model answers on the key and address of an account, streaming %j', async (stream) => {
    allowed = { modelApiBase: bases[form] ?? '' };
    const answers = await ask(model, { responses, stream });
    expect(answers.at(-1)).toMatchObject({ content: { parts: [{ text: 'ok' }] } });
    const [provider, name] = model.split('/');
    expect(begun).toEqual([{ provider, model: name, keyId: 7n, estimate: { input: 2, output: 1_000 } }]);
    expect(ends).toMatchObject([{ tokens: { input: expect.any(Number) }, answered: expect.any(String) }]);
  });

  test('a wrong key ends the run without showing it', async () => {
    allowed = { modelApiBase: bases[form] ?? '', secret: 'sk-wrong-key-of-an-account' };
    const [answer] = await ask(model, { responses });
    expect(answer).toMatchObject({ errorCode: 'UNAUTHENTICATED' });
    expect(JSON.stringify(answer)).not.toContain('sk-wrong-key');
    expect(ends).toEqual([{ tokens: { input: 0, cached: 0, output: 0 }, answered: undefined }]);
  });
});

test('a private address fails like one that nobody listens on, in every form', async () => {
  const failures = await Promise.all(
    forms.flatMap(([, model, form]) =>
      [bases[form] ?? '', 'http://127.0.0.1:1/v1'].map(async (modelApiBase, index) => {
        const at: ModelUse = { ...use, begin: async () => ({ secret, modelApiBase, end: () => undefined }) };
        const allow = index === 0 ? [] : ['127.0.0.1'];
        return ask(model, { responses: form === 'responses', allow, use: at });
      }),
    ),
  );
  const unreachable = [{ errorCode: 'MODEL_UNREACHABLE', errorMessage: 'The model could not be reached.' }];
  expect(failures).toEqual(failures.map(() => unreachable));
});

test('a redirect is not followed, so the key reaches no other server', async () => {
  const reached: string[] = [];
  const server = createServer((request, response) => {
    reached.push(request.url ?? '');
    response.writeHead(307, { location: `${bases['openai']}/chat/completions` }).end();
  }).listen(0, '127.0.0.1');
  resources.defer(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  allowed = { modelApiBase: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  const [answer] = await ask('openai/gpt-5-mini');
  expect(answer).toMatchObject({ errorCode: 'MODEL_RESPONSE_UNREADABLE' });
  expect(reached).toEqual(['/chat/completions']);
});

test('an address without a key gets no key of the server', async () => {
  const keys: unknown[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers.authorization, request.headers['x-api-key']);
    response.writeHead(500).end();
  }).listen(0, '127.0.0.1');
  resources.defer(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const modelApiBase = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  allowed = { modelApiBase: '', secret: '' };
  const [answer] = await ask('openai/llama', { access: { modelApiBase } });
  expect(answer).toMatchObject({ errorCode: 'UNAVAILABLE' });
  const [without] = await ask('anthropic/claude-sonnet-4-5', { access: { modelApiBase } });
  expect(without).toMatchObject({ errorCode: 'MODEL_KEY_MISSING' });
  expect(new Set(keys)).toEqual(new Set([undefined]));
});

test('a call that is not allowed is an answer with its reason, and nothing is sent', async () => {
  const refusing: ModelUse = {
    ...use,
    begin: () => Promise.reject(new ModelCallError('BUDGET_REACHED', 'The limit is reached.')),
  };
  for (const access of [{}, { keyId: 7n }]) {
    expect(await ask('openai/gpt-5-mini', { use: refusing, access })).toEqual([
      { errorCode: 'BUDGET_REACHED', errorMessage: 'The limit is reached.' },
    ]);
  }
});

test('a call that is cancelled before it is allowed is not sent and costs nothing', async () => {
  const { promise: allowance, resolve: allow } = Promise.withResolvers<void>();
  const leaving = new AbortController();
  const slow: ModelUse = { ...use, begin: (request, call) => allowance.then(() => use.begin(request, call)) };
  allowed = { modelApiBase: bases['openai'] ?? '' };
  const answer = ask('openai/gpt-5-mini', { use: slow, signal: leaving.signal });
  leaving.abort();
  allow();
  expect(await answer).toEqual([]);
  expect(ends).toEqual([{ tokens: { input: 0, cached: 0, output: 0 }, answered: undefined }]);
});

test('what a server tells of its answer is reported in bounds: a report of a whole server must not fail because of it', async () => {
  const fake = resources.use(await startFakeOpenAi({ apiKey: secret }));
  const usage = { prompt_tokens: 1e19, completion_tokens: 1.5, prompt_tokens_details: { cached_tokens: -1 } };
  const choices = [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }];
  const body = JSON.stringify({ id: 'x', model: 'm'.repeat(1_000_000), choices, usage });
  fake.answer({ status: 200, contentType: 'application/json', body });
  allowed = { modelApiBase: fake.baseUrl };
  const [answer] = await ask('openai/ours');
  expect(answer?.modelVersion).toBe('m'.repeat(256));
  expect(ends).toEqual([{ tokens: { input: 1e9, cached: 0, output: 2 }, answered: 'm'.repeat(256) }]);
});

test.each([true, false])(
  'a call of a tool that cannot be read costs the tokens that its answer told; streamed: %s',
  async (stream) => {
    const fake = resources.use(await startFakeOpenAi({ apiKey: secret }));
    fake.answer({ toolCalls: [{ id: 'c', name: 'lookup', arguments: '{"n":' }] });
    allowed = { modelApiBase: fake.baseUrl };
    const answers = await ask('openai/ours', { stream });
    const usageMetadata = { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 };
    expect(answers).toMatchObject([{ errorCode: 'MALFORMED_FUNCTION_CALL', usageMetadata }]);
    expect(ends).toEqual([{ tokens: { input: 11, cached: 0, output: 7 }, answered: 'ours' }]);
  },
);

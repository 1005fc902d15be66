import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Caller, newAccount } from '../../caller.ts';
import { type FakeOpenAi, startFakeOpenAi } from '../../fakes/openai.ts';
import { agentsDir, startMesh, type TestMesh } from '../../mesh.ts';
import { makeAgent } from '../agents/make-agent.ts';

const path = '/api/usage';
const resources = new AsyncDisposableStack();
let openAi: FakeOpenAi;
const only = ['auth', 'keys', 'runs', 'sessions'];
let mesh: TestMesh;

beforeAll(async () => {
  const { url: databaseUrl } = resources.use(await testDatabaseUrl());
  openAi = resources.use(await startFakeOpenAi());
  const env = { AGENTS_DIR: agentsDir, OPENAI_BASE_URL: openAi.baseUrl };
  mesh = resources.use(await startMesh({ mode: inject('mode'), only, databaseUrl, env }));
});
afterAll(() => resources.disposeAsync());

interface Row {
  readonly requests: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
}

interface Sums {
  readonly usage: Row[];
}

const sums = async (caller: Caller, query = '') => (await caller.request<Sums>('GET', `${path}${query}`)).body.usage;
/** Reports of calls arrive a moment after the run. */
const untilCounted = (caller: Caller, requests: number) =>
  expect.poll(async () => (await sums(caller))[0]?.requests ?? 0).toBe(requests);

describe('the use of models', () => {
  test('is counted by day, agent, end user, key, model and run, and that of echo is not', async () => {
    const caller = await newAccount(mesh.url);
    const session = await caller.createSession('chat');
    openAi.answer(
      { toolCalls: [{ id: 'call_1', name: 'get_current_time', arguments: '{}' }] },
      { text: 'It is late.' },
    );
    const { body: events } = await caller.run(session, 'What time is it?');
    await caller.run(await caller.createSession('echo'), 'hello');
    await untilCounted(caller, 2);
    const today = new Date().toISOString().slice(0, 10);
    const row = { requests: 2, cached_tokens: 0, cost_usd: 0, unpriced_requests: 2 };
    const tokens = { input_tokens: expect.any(Number), output_tokens: expect.any(Number) };
    expect((await caller.request('GET', path)).body).toEqual({
      from: `${today.slice(0, 7)}-01`,
      to: today,
      usage: [{ day: today, ...row, ...tokens }],
      has_more: false,
      prices: { version: expect.stringContaining('genai-prices'), made_on: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) },
    });
    const usageOf = events.flatMap(({ usageMetadata }) => (usageMetadata === undefined ? [] : [usageMetadata])) as {
      promptTokenCount: number;
      candidatesTokenCount: number;
    }[];
    const [run] = await sums(caller, `?group_by=run,agent,user,key,model`);
    expect(run).toEqual({
      agent: 'chat',
      user_id: 'u1',
      key: 'server',
      model: 'openai/test-model',
      invocation_id: events[0]?.invocationId,
      ...row,
      input_tokens: usageOf.reduce((sum, usage) => sum + usage.promptTokenCount, 0),
      output_tokens: usageOf.reduce((sum, usage) => sum + usage.candidatesTokenCount, 0),
    });
    for (const filter of [
      'agent=other',
      'user_id=u2',
      'key=apikey1',
      'invocation_id=x',
      'from=2020-01-01&to=2020-01-31',
    ]) {
      expect([filter, await sums(caller, `?${filter}`)]).toEqual([filter, []]);
    }
    expect(await sums(await newAccount(mesh.url))).toEqual([]);
  });

  test.each([
    'from=2026-02-02&to=2026-02-01',
    'from=now',
    'from=2026-02-30',
    'group_by=x',
    'group_by=day,',
    'key=7',
    'limit=0',
    'limit=10001',
  ])('with the query %s is refused with 422', async (query) => {
    expect((await (await newAccount(mesh.url)).request('GET', `${path}?${query}`)).status).toBe(422);
  });
});

test('a run shows its cost, which its agent can limit', async () => {
  const caller = await newAccount(mesh.url);
  const limited = { agent_tools: ['get_current_time'], run_limits: { cost: 0.000_02 } };
  const id = await makeAgent(caller, { agent_model: 'openai/gpt-5-mini', ...limited });
  const look = { toolCalls: [{ id: 'call_1', name: 'get_current_time', arguments: '{}' }] };
  openAi.answer(look, look);
  const { body: events } = await caller.run(await caller.createSession(`agent${id}`), 'What time is it?');
  expect(events.at(-1)).toMatchObject({ errorCode: 'MAX_RUN_COST' });
  const invocationId = events.at(-1)?.invocationId;
  // 11 input and 7 output tokens, at 0.25 and 2 dollars for a million.
  const cost = 0.000_033_5;
  expect((await caller.request('GET', `/runs/${invocationId}`)).body).toMatchObject({
    status: 'failed',
    errorCode: 'MAX_RUN_COST',
    model: 'gpt-5-mini',
    usage: { modelCalls: 2, totalTokenCount: 36, cost },
  });
  const used = async () => (await sums(caller, `?invocation_id=${invocationId}`))[0];
  await expect.poll(used, { timeout: 30_000 }).toMatchObject({ requests: 2, cost_usd: cost, unpriced_requests: 0 });
});

describe('a limit', () => {
  test('ends the run that reaches it with an event that says so, and is shown, changed and removed', async () => {
    const caller = await newAccount(mesh.url);
    const limit = `${path}/limits/account/day`;
    const set = await caller.request('PUT', limit, { requests: 1 });
    expect(set).toMatchObject({
      status: 200,
      body: {
        scope: 'account',
        period: 'day',
        requests: 1,
        tokens: null,
        cost_usd: null,
        used: { requests: 0, tokens: 0, cost_usd: 0 },
        resets_at: expect.stringMatching(/T00:00:00\.000Z$/),
      },
    });
    const session = await caller.createSession('chat');
    expect((await caller.run(session, 'one')).body.at(-1)).not.toHaveProperty('errorCode');
    const sent = openAi.received;
    const frames = await caller.runSse(session, 'two', { streaming: true });
    const text = expect.stringMatching(/^The limit of 1 requests per day of the account is reached until 20/);
    expect(frames.at(-2)).toMatchObject({ errorCode: 'BUDGET_REACHED', errorMessage: text });
    expect((await caller.readSession(session)).events.at(-1)).toMatchObject({ errorCode: 'BUDGET_REACHED' });
    expect(openAi.received).toBe(sent);
    await caller.run(await caller.createSession('echo'), 'hello');
    expect((await caller.request<object[]>('GET', `${path}/limits`)).body).toMatchObject([{ used: { requests: 1 } }]);
    await caller.request('PUT', limit, { requests: 2, cost_usd: 0.5 });
    expect((await caller.run(session, 'three')).body.at(-1)).not.toHaveProperty('errorCode');
    expect((await caller.request('DELETE', limit)).status).toBe(200);
    expect((await caller.run(session, 'four')).body.at(-1)).not.toHaveProperty('errorCode');
    expect((await caller.request<object[]>('GET', `${path}/limits`)).body).toEqual([]);
  });

  test('of 5 requests lets 5 of 30 runs at once ask the model', async () => {
    const caller = await newAccount(mesh.url);
    await caller.request('PUT', `${path}/limits/account/month`, { requests: 5 });
    const sent = openAi.received;
    const runs = await Promise.all(
      Array.from({ length: 30 }, async () => caller.run(await caller.createSession('chat'), 'hello')),
    );
    const refused = runs.filter(({ body }) => body.at(-1)?.['errorCode'] === 'BUDGET_REACHED');
    expect([refused.length, openAi.received - sent]).toEqual([25, 5]);
    await untilCounted(caller, 5);
  });

  test('of another account’s key, of another period or without an amount is refused', async () => {
    const [caller, other] = [await newAccount(mesh.url), await newAccount(mesh.url)];
    const given = { key_name: 'k', provider: 'openai', api_key_value: 'sk-of-the-other' };
    const { body: key } = await other.request<{ api_key_id: string }>('POST', '/api/saved-api-keys', given);
    const status = async (from: Caller, scope: string, body: object) =>
      (await from.request('PUT', `${path}/limits/${scope}`, body)).status;
    expect(await status(other, `${key.api_key_id}/month`, { cost_usd: 5 })).toBe(200);
    expect(await status(caller, `${key.api_key_id}/month`, { cost_usd: 5 })).toBe(404);
    expect(await status(caller, 'apikey999999/month', { cost_usd: 5 })).toBe(404);
    expect(await status(caller, 'everything/month', { cost_usd: 5 })).toBe(422);
    const amounts = [{ requests: -1 }, { tokens: 1.5 }, { requests: null }];
    const costs = [{ cost_usd: 'much' }, { cost_usd: -1 }, { cost_usd: 1e308 }];
    for (const body of [{}, ...amounts, ...costs]) {
      expect([body, await status(caller, 'account/day', body)]).toEqual([body, 422]);
    }
    expect(await status(caller, 'account/year', { requests: 1 })).toBe(422);
  });
});

test('while the keys service is away, runs wait for it before they call a model on the network, and echo goes on', {
  timeout: 60_000,
}, async () => {
  if (inject('mode') === 'all') return;
  const caller = await newAccount(mesh.url);
  const [session, echo] = [await caller.createSession('chat'), await caller.createSession('echo')];
  await mesh.kill('keys');
  const sent = openAi.received;
  const waiting = caller.run(session, 'one');
  expect((await caller.run(echo, 'one')).status).toBe(200);
  await mesh.restart();
  const { status, body } = await waiting;
  expect([status, body.at(-1)?.['errorCode'], openAi.received - sent]).toEqual([200, undefined, 1]);
});

import { createGuardedFetch } from '@agentmesh/lib/outbound';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FakeOpenAi, startFakeOpenAi } from '../../../test/fakes/openai.ts';
import { createModels } from '../src/models/models.ts';
import { buildAgent } from '../src/apps/building/agents/build-agent.ts';
import { usualSettings } from '../src/apps/definition/settings/app-settings.ts';
import type { LlmAgentDefinition } from '../src/apps/definition/agent-definition.ts';
import type { AgentFile } from '../src/apps/files/load-agent-files.ts';
import { agentToolResolver } from '../src/apps/entries/agent-tool-args.ts';
import { createBuiltInResolver } from '../src/apps/entries/built-in-resolver.ts';
import { createToolResolvers } from '../src/apps/entries/tool-resolvers.ts';
import { createAgentBench, createAppBench } from './run-agents.ts';

/** 11 input and 7 output tokens of gpt-5-mini, as the fake server counts them: at 0.25 and 2 dollars for a million. */
const costOfCall = 0.000_016_75;
const tools = createToolResolvers([
  createBuiltInResolver({ fetch: createGuardedFetch({ allow: [] }) }),
  agentToolResolver,
]);
const clock: NonNullable<LlmAgentDefinition['tools']> = [{ name: 'get_current_time' }];
const look = { toolCalls: [{ id: 'call_1', name: 'get_current_time', arguments: '{}' }] };

let openAi: FakeOpenAi;

beforeEach(async () => {
  openAi = await startFakeOpenAi();
});
afterEach(async () => openAi[Symbol.asyncDispose]());

interface Setup {
  readonly model?: string | string[];
  readonly cost?: number;
  readonly tokens?: number;
  readonly toolAgents?: AgentFile['toolAgents'];
  readonly tools?: LlmAgentDefinition['tools'];
  readonly streaming?: boolean;
}

/** Runs an agent of the fake server, and returns its last event and the usage of the run. */
async function run({
  model = 'openai/gpt-5-mini',
  toolAgents,
  tools: entries = clock,
  streaming = false,
  ...most
}: Setup = {}) {
  const nowhere = { baseUrl: 'http://127.0.0.1:1', apiKey: 'k' };
  const endpoints = { openai: { baseUrl: openAi.baseUrl }, anthropic: nowhere, gemini: nowhere };
  const models = createModels({ ...endpoints, timeoutMs: 20_000 });
  const definition = { name: 'root', model, tools: entries };
  const file = { file: 'root_agent.yaml', definition, subAgents: [], ...(toolAgents && { toolAgents }) };
  const { app } = createAgentBench(buildAgent('app', file, { models, tools, maxModelCalls: 5, toolTimeoutMs: 20_000 }));
  const bench = createAppBench({ ...app, settings: { ...usualSettings, limits: most } });
  const { events } = await bench.run({ streaming });
  const json = bench.sessions.run(bench.key).end?.usageJson ?? new Uint8Array(0);
  const usage: unknown = json.length === 0 ? undefined : JSON.parse(Buffer.from(json).toString());
  return { last: events.at(-1) ?? {}, usage };
}

test('the cost of a run is the sum of its calls', async () => {
  openAi.answer(look, look);
  const { usage } = await run();
  expect(usage).toMatchObject({ modelCalls: 3, promptTokenCount: 33, cost: 3 * costOfCall });
  expect(usage).not.toHaveProperty('unpricedCalls');
});

test('a model that took over has its own price, and calls of models without one are counted apart', async () => {
  openAi.answer({ status: 400, error: { message: 'no' } });
  const { last, usage } = await run({ model: ['openai/gpt-5', 'openai/gpt-5-mini'] });
  expect(last).toMatchObject({ customMetadata: { model: 'openai/gpt-5-mini', failed_models: ['openai/gpt-5'] } });
  expect(usage).toMatchObject({ modelCalls: 1, cost: costOfCall });
  expect((await run({ model: 'openai/ours' })).usage).toEqual({
    promptTokenCount: 11,
    candidatesTokenCount: 7,
    totalTokenCount: 18,
    modelCalls: 1,
    unpricedCalls: 1,
  });
});

test('calls of an agent that is a tool are calls of the run', async () => {
  const definition = { name: 'expert', model: 'openai/gpt-5-mini' };
  const toolAgents = new Map([[0, { file: 'expert.yaml', definition, subAgents: [] }]]);
  const entry = { name: 'AgentTool', args: { agent: { config_path: 'expert.yaml' } } };
  const asks = { toolCalls: [{ id: 'call_1', name: 'expert', arguments: '{"request":"?"}' }] };
  openAi.answer(asks);
  const { usage } = await run({ tools: [entry], toolAgents });
  expect(usage).toMatchObject({ modelCalls: 2, cost: 3 * costOfCall });
  openAi.answer(asks);
  const sent = openAi.received;
  const { last } = await run({ tools: [entry], toolAgents, cost: costOfCall / 2 });
  expect(last).toMatchObject({ author: 'root', errorCode: 'MAX_RUN_COST' });
  expect(openAi.received - sent).toBe(1);
});

test('calls of an agent that is a tool count for the most calls of the run', async () => {
  const definition = { name: 'expert', model: 'openai/gpt-5-mini', tools: clock };
  const toolAgents = new Map([[0, { file: 'expert.yaml', definition, subAgents: [] }]]);
  const entry = { name: 'AgentTool', args: { agent: { config_path: 'expert.yaml' } } };
  const asks = { toolCalls: [{ id: 'call_1', name: 'expert', arguments: '{"request":"?"}' }] };
  openAi.answer(asks, look, look, look, look, look, look);
  expect((await run({ tools: [entry], toolAgents })).last).toMatchObject({ errorCode: 'MAX_MODEL_CALLS' });
  expect(openAi.received).toBe(5);
});

test('tokens of an agent that is a tool count for the most tokens of the run', async () => {
  const definition = { name: 'expert', model: 'openai/gpt-5-mini' };
  const toolAgents = new Map([[0, { file: 'expert.yaml', definition, subAgents: [] }]]);
  const entry = { name: 'AgentTool', args: { agent: { config_path: 'expert.yaml' } } };
  const asks = { toolCalls: [{ id: 'call_1', name: 'expert', arguments: '{"request":"?"}' }] };
  openAi.answer(asks);
  expect((await run({ tools: [entry], toolAgents, tokens: 35 })).last).toMatchObject({ errorCode: 'MAX_RUN_TOKENS' });
  expect(openAi.received).toBe(2);
  openAi.answer(asks);
  expect((await run({ tools: [entry], toolAgents, tokens: 36 })).last).not.toHaveProperty('errorCode');
});

test('a run that costs more than it may ends as failed before it calls a tool, unless it is over', async () => {
  openAi.answer(look, look);
  const { last, usage } = await run({ cost: costOfCall * 1.5 });
  const errorMessage = 'The run reached the limit of 0.000025125 US dollars (RUNS_MAX_COST, or run_limits of the app).';
  expect(last).toMatchObject({ errorCode: 'MAX_RUN_COST', errorMessage });
  expect(usage).toMatchObject({ modelCalls: 2, cost: 2 * costOfCall });
  openAi.forget();
  expect((await run({ cost: costOfCall / 2 })).last).not.toHaveProperty('errorCode');
});

test('in a run whose cost is limited, a model without a known price is not called', async () => {
  expect((await run({ model: 'openai/ours', cost: 1 })).last).toMatchObject({ errorCode: 'MODEL_PRICE_UNKNOWN' });
  expect(openAi.received).toBe(0);
  const { last } = await run({ model: ['openai/ours', 'openai/gpt-5-mini'], cost: 1 });
  expect(last).toMatchObject({ customMetadata: { failed_models: ['openai/ours'] } });
});

/** An answer that calls the clock, with more fields of its body. */
function answerWith(fields: object) {
  const message = {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c', type: 'function', function: { name: 'get_current_time', arguments: '{}' } }],
  };
  const choices = [{ index: 0, message, finish_reason: 'tool_calls' }];
  const body = JSON.stringify({ id: 'x', model: 'gpt-5-mini', choices, ...fields });
  return { status: 200, contentType: 'application/json', body };
}

test('an answer that does not tell its tokens has no known cost, and ends a run whose cost is limited', async () => {
  const silent = answerWith({});
  openAi.answer(silent);
  expect((await run()).usage).toMatchObject({ modelCalls: 2, cost: costOfCall, unpricedCalls: 1 });
  openAi.answer(silent);
  expect((await run({ cost: 1 })).last).toMatchObject({
    errorCode: 'MAX_RUN_COST',
    errorMessage: expect.stringContaining('cannot be kept within the limit'),
  });
});

test('numbers that no call has are not added up: their sum would be no number of JSON', async () => {
  const absurd = answerWith({ usage: { prompt_tokens: 1.7e308, completion_tokens: 1.7e308, total_tokens: 1.5 } });
  openAi.answer(absurd, absurd);
  expect((await run()).usage).toMatchObject({
    modelCalls: 3,
    toolCalls: 2,
    promptTokenCount: 2e9 + 11,
    candidatesTokenCount: 2e9 + 7,
    totalTokenCount: 2e9 + 18,
    cost: expect.closeTo(4_500, 3),
  });
});

test('an answer that breaks off in a call of a tool costs the same as one that breaks off in its text', async () => {
  const call = { index: 0, id: 'c', type: 'function', function: { name: 'get_current_time', arguments: '{"time' } };
  const costs = new Set<unknown>();
  for (const delta of [{ content: 'The time' }, { tool_calls: [call] }]) {
    const chunk = { id: 'x', object: 'chat.completion.chunk', model: 'gpt-5-mini', created: 1 };
    const choices = [{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason: null }];
    openAi.answer({ contentType: 'text/event-stream', body: `data: ${JSON.stringify({ ...chunk, choices })}\n\n` });
    const { last, usage } = await run({ streaming: true });
    expect(last).toMatchObject({ errorCode: 'MODEL_STREAM_BROKEN' });
    costs.add((usage as { cost?: number }).cost);
  }
  const [cost, ...others] = costs;
  expect(cost).toBeGreaterThan(0);
  expect(others).toEqual([]);
});

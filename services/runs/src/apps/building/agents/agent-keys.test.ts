import { createGuardedFetch } from '@agentmesh/lib/outbound';
import { FunctionTool } from '@google/adk/core';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { createAgentBench } from '../../../../test/run-agents.ts';
import { calls, says, ScriptLlm } from '../../../../test/script-llm.ts';
import type { LlmAgentDefinition } from '../../definition/agent-definition.ts';
import type { ToolEntry } from '../../definition/tool-resolver.ts';
import { createBuiltInResolver } from '../../entries/built-in-resolver.ts';
import { createCodeResolver } from '../../entries/code-resolver.ts';
import { createToolResolvers } from '../../entries/tool-resolvers.ts';
import { buildAgent } from './build-agent.ts';

const builtIn = createBuiltInResolver({ fetch: createGuardedFetch({ allow: [] }) });
/** Tools in code that are named after their exports. */
const code = createCodeResolver(({ name }) => {
  return new FunctionTool({ name: name.replace('tools.', ''), description: name, execute: () => 'done' });
});
const tools = createToolResolvers([builtIn, code]);

/** An agent of these keys, whose model follows a script. */
function setUp(keys: Partial<LlmAgentDefinition>, llm: ScriptLlm, state = {}) {
  const models = { resolve: () => llm, problemWith: () => undefined };
  const definition = { name: 'a', model: 'openai/x', ...keys };
  const file = { file: 'root_agent.yaml', definition, subAgents: [] };
  return createAgentBench(buildAgent('app', file, { models, tools, maxModelCalls: 5, toolTimeoutMs: 1_000 }), {
    state,
  });
}

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;

test('static_instruction is the system instruction, and instruction a message before the newest ones', async () => {
  const llm = new ScriptLlm(says('ok'));
  const bench = setUp({ static_instruction: 'Literal {braces}.', instruction: 'Speak {tongue}.' }, llm, {
    tongue: 'French',
  });
  await bench.run({ text: 'one' });
  await bench.run({ text: 'two' });
  const { config, contents } = llm.requests[1] ?? { contents: [] };
  expect(config?.systemInstruction).toMatch(/Literal \{braces\}\.$/);
  expect(config?.systemInstruction).not.toContain('French');
  expect(contents.map(({ parts }) => parts?.[0]?.text)).toEqual(['one', 'ok', 'Speak French.', 'two']);
});

test('output_schema is asked of the model, and the answer is stored as its value', async () => {
  const llm = new ScriptLlm(says('{"city":"Rome"}'));
  const bench = setUp({ output_schema: schema, output_key: 'place' }, llm);
  const { events } = await bench.run();
  expect(llm.requests[0]?.config).toMatchObject({ responseSchema: schema, responseMimeType: 'application/json' });
  expect(events.at(-1)).toMatchObject({ actions: { stateDelta: { place: { city: 'Rome' } } } });
});

test('an agent with tools gives its output by a call', async () => {
  const llm = new ScriptLlm(calls('set_model_response', { city: 'Rome' }));
  const bench = setUp({ output_schema: schema, output_key: 'place', tools: [{ name: 'get_current_time' }] }, llm);
  const { events } = await bench.run();
  expect(events.at(-1)).toMatchObject({ content: { parts: [{ text: '{"city":"Rome"}' }] } });
});

test('tools of Gemini are switched on in the request', async () => {
  const llm = new ScriptLlm(says('ok'));
  await setUp({ tools: [{ name: 'google_search' }, { name: 'http_get' }] }, llm).run();
  const given = llm.requests[0]?.config?.tools ?? [];
  expect(given).toContainEqual({ googleSearch: {} });
  expect(given.some((tool) => 'functionDeclarations' in tool)).toBe(true);
});

test('tools that share their args by an alias of YAML are all there, and one that is named twice is there once', async () => {
  const llm = new ScriptLlm(says('ok'));
  const text = `
    - {name: tools.one, args: &shared {n: 1}}
    - {name: tools.two, args: *shared}
    - {name: get_current_time}
    - {name: get_current_time}`;
  await setUp({ tools: parse(text) as ToolEntry[] }, llm).run();
  const given = llm.requests[0]?.config?.tools ?? [];
  const names = given.flatMap((tool) => ('functionDeclarations' in tool ? (tool.functionDeclarations ?? []) : []));
  expect(names.map(({ name }) => name)).toEqual(['one', 'two', 'get_current_time']);
});

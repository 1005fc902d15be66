import { FunctionTool, LlmAgent } from '@google/adk/core';
import type { Part } from '@google/genai';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type FakeAnthropic, startFakeAnthropic } from '../../../test/fakes/anthropic/index.ts';
import { type FakeGemini, startFakeGemini } from '../../../test/fakes/gemini/index.ts';
import { type FakeOpenAi, startFakeOpenAi } from '../../../test/fakes/openai.ts';
import { createModels, type Models } from '../src/models/index.ts';
import { AnsweringLlm } from '../src/apps/building/agents/answering-llm.ts';
import { createAgentBench, type Seen } from './run-agents.ts';

interface Call {
  readonly id: string;
  readonly name: string;
  readonly args: object;
}

interface Vendor {
  readonly calls: (...calls: Call[]) => void;
  readonly says: (text: string) => void;
}

const resources = new AsyncDisposableStack();
let openAi: FakeOpenAi;
let anthropic: FakeAnthropic;
let gemini: FakeGemini;
let models: Models;

beforeAll(async () => {
  const apiKey = 'k';
  openAi = resources.use(await startFakeOpenAi({ apiKey }));
  anthropic = resources.use(await startFakeAnthropic({ apiKey }));
  gemini = resources.use(await startFakeGemini({ apiKey }));
  const endpoint = ({ baseUrl }: { baseUrl: string }) => ({ baseUrl, apiKey });
  models = createModels({
    openai: endpoint(openAi),
    anthropic: endpoint(anthropic),
    gemini: endpoint(gemini),
    timeoutMs: 30_000,
  });
});
afterAll(() => resources.disposeAsync());
afterEach(() => {
  for (const fake of [openAi, anthropic, gemini]) fake.forget();
});

/** Answers of each vendor: a thought where it supports them, then a call or text. */
const vendors: Record<string, Vendor> = {
  'openai/gpt-x': {
    calls: (...calls) =>
      openAi.answer({
        reasoning: 'hm',
        toolCalls: calls.map(({ args, ...call }) => ({ ...call, arguments: JSON.stringify(args) })),
      }),
    says: (text) => openAi.answer({ text }),
  },
  'anthropic/claude-sonnet-4-5': {
    calls: (...calls) =>
      anthropic.answer({
        blocks: [{ thinking: 'hm' }, ...calls.map(({ args, ...call }) => ({ call: { ...call, input: args } }))],
      }),
    says: (text) => anthropic.answer({ blocks: [{ thinking: 'hm' }, { text }] }),
  },
  'gemini-3-flash-preview': {
    calls: (...calls) =>
      gemini.answer({ parts: [{ thought: 'hm' }, ...calls.map((call, index) => ({ call, signed: index === 0 }))] }),
    says: (text) => gemini.answer({ parts: [{ thought: 'hm' }, { text, signed: true }] }),
  },
};

function agent(name: string, model: string, subAgents: LlmAgent[] = []): LlmAgent {
  const lookup = new FunctionTool({ name: 'lookup', description: 'looks up', execute: () => ({ found: name }) });
  const generateContentConfig = { thinkingConfig: { thinkingBudget: 1024 }, maxOutputTokens: 4000 };
  return new LlmAgent({
    name,
    model: new AnsweringLlm(models.resolve(model)),
    tools: [lookup],
    subAgents,
    generateContentConfig,
  });
}

const lookup = (id: string): Call => ({ id, name: 'lookup', args: {} });
const transfer = (agentName: string): Call => ({ id: 'call_t', name: 'transfer_to_agent', args: { agentName } });

interface Told {
  readonly author: string;
  readonly partial?: boolean;
  readonly content?: { readonly parts: readonly Part[] };
  readonly errorMessage?: string;
}

/** Author and content of each event, in order. */
function story({ events }: Seen): string[] {
  const told = events as unknown as readonly Told[];
  return told
    .filter(({ partial }) => partial !== true)
    .flatMap(({ author, content, errorMessage }) =>
      errorMessage === undefined
        ? (content?.parts ?? []).filter(({ thought }) => !thought).map((part) => `${author} ${deed(part)}`)
        : [`${author} failed: ${errorMessage}`],
    );
}

function deed({ functionCall, functionResponse, text = '' }: Part): string {
  if (functionCall !== undefined) return `calls ${functionCall.name}`;
  return functionResponse === undefined ? `says ${text}` : `hears ${functionResponse.name}`;
}

describe.each(Object.entries(vendors))('an agent on %s', (model, { calls, says }) => {
  test.each([true, false])('calls tools in parallel, again and again, over turns; streamed: %s', async (streaming) => {
    const bench = createAgentBench(agent('root', model));
    calls(lookup('call_1'), lookup('call_2'));
    calls(lookup('call_3'));
    says('done');
    expect(story(await bench.run({ streaming }))).toEqual([
      'root calls lookup',
      'root calls lookup',
      'root hears lookup',
      'root hears lookup',
      'root calls lookup',
      'root hears lookup',
      'root says done',
    ]);
    says('more');
    expect(story(await bench.run({ streaming }))).toEqual(['root says more']);
  });

  test('transfers to a sub-agent, which calls its tools and keeps the turn', async () => {
    const bench = createAgentBench(agent('root', model, [agent('helper', model)]));
    calls(lookup('call_1'));
    calls(transfer('helper'));
    calls(lookup('call_2'));
    says('helped');
    expect(story(await bench.run({ streaming: true }))).toEqual([
      'root calls lookup',
      'root hears lookup',
      'root calls transfer_to_agent',
      'root hears transfer_to_agent',
      'helper calls lookup',
      'helper hears lookup',
      'helper says helped',
    ]);
    says('again');
    expect(story(await bench.run({ streaming: true }))).toEqual(['helper says again']);
  });

  test.each(Object.keys(vendors).filter((other) => other !== model))(
    'takes over a conversation that %s began, thoughts and calls included',
    async (other) => {
      const root = agent('root', other);
      const bench = createAgentBench(root);
      vendors[other]?.calls(lookup('call_1'));
      vendors[other]?.says('done');
      expect(story(await bench.run())).toHaveLength(3);
      root.model = models.resolve(model);
      calls(lookup('call_9'));
      says('mine');
      expect(story(await bench.run())).toEqual(['root calls lookup', 'root hears lookup', 'root says mine']);
    },
  );
});

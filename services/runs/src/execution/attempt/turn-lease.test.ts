import { MeshError } from '@agentmesh/lib/rpc';
import { FunctionTool, LlmAgent } from '@google/adk/core';
import { afterEach, expect, test, vi } from 'vitest';
import { type AgentBench, createAgentBench } from '../../../test/run-agents.ts';
import { leaseSeconds } from '../../../test/stored-session.ts';
import { calls, says, ScriptLlm, streams } from '../../../test/script-llm.ts';
import { guardTool } from '../../apps/entries/guard-tool.ts';
import { CallerNote } from '../../models/use/model-caller.ts';

afterEach(() => void vi.restoreAllMocks());

const lost = { type: 'RunCancelled' };

/** Lets the executor find itself stopped for longer than its lease. */
function pauseProcess(): void {
  const now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => now + leaseSeconds * 1_000 + 1);
}

/** An agent whose model calls a tool twice in one answer; the process is stopped during the first call, for the time in which `meanwhile` happens. */
function toolBench(meanwhile: (bench: AgentBench) => void) {
  const made: string[] = [];
  const tool = new FunctionTool({
    name: 'pay',
    description: 'Pays.',
    execute: () => {
      made.push('pay');
      if (made.length > 1) return 'paid';
      pauseProcess();
      meanwhile(bench);
      return 'paid';
    },
  });
  const [call] = calls('pay');
  const [part] = call?.content?.parts ?? [];
  const twice = [{ content: { role: 'model', parts: [{ ...part }, { ...part }] } }];
  const model = new ScriptLlm(twice, says('done'));
  const tools = [guardTool(tool, { timeoutMs: 30_000 })];
  const bench: AgentBench = createAgentBench(new LlmAgent({ name: 'payer', model, tools }));
  return { bench, made };
}

const renewals = ({ sessions }: AgentBench): number => sessions.calls.filter((call) => call === 'renewLeases').length;

test('an executor that was stopped for longer than its lease calls no tool after its run was taken', async () => {
  const { bench, made } = toolBench(({ sessions, key }) => sessions.loseTurn(key));
  expect((await bench.run()).failure).toMatchObject(lost);
  expect(made).toEqual(['pay']);
});

test('it goes on when nobody has taken its run, with one renewal', async () => {
  const { bench, made } = toolBench(() => undefined);
  expect((await bench.run()).failure).toBeUndefined();
  expect(made).toEqual(['pay', 'pay']);
  expect(renewals(bench)).toBe(1);
});

test('it gives up when its lease is refused', async () => {
  const { bench, made } = toolBench(({ sessions }) => {
    sessions.before = (call) => {
      if (call === 'renewLeases') throw new MeshError('internal', 'internal', 'Broken.');
    };
  });
  expect((await bench.run()).failure).toMatchObject(lost);
  expect(made).toEqual(['pay']);
});

test('it asks no model, though its last event was stored before', async () => {
  const tool = new FunctionTool({ name: 'look', description: 'Looks.', execute: () => 'seen' });
  const model = new ScriptLlm(calls('look'), says('done'));
  const agent = new LlmAgent({ name: 'looker', model, tools: [tool] });
  agent.requestProcessors.push(new CallerNote());
  const bench = createAgentBench(agent);
  let stored = 0;
  bench.sessions.after = (call) => {
    if (call !== 'appendEvents') return;
    stored += 1;
    if (stored < 2) return;
    pauseProcess();
    bench.sessions.loseTurn(bench.key);
  };
  expect((await bench.run()).failure).toMatchObject(lost);
  expect(model.requests).toHaveLength(1);
});

test('it shows no partial event', async () => {
  const [first, ...others] = streams('one', 'two');
  const model = new ScriptLlm(async function* () {
    if (first !== undefined) yield first;
    await vi.waitFor(() => expect(seen.events).toHaveLength(1));
    pauseProcess();
    bench.sessions.loseTurn(bench.key);
    yield* others;
  });
  const bench = createAgentBench(new LlmAgent({ name: 'writer', model }));
  const { soFar: seen, seen: end } = await bench.begin({ streaming: true });
  expect(await end).toMatchObject({ events: [{ partial: true }], failure: lost });
});

test('a run whose lease holds renews it before nothing', async () => {
  const { bench } = toolBench(() => vi.restoreAllMocks());
  await bench.run();
  expect(renewals(bench)).toBe(0);
});

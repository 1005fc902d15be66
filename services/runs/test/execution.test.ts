import {
  FunctionTool,
  LlmAgent,
  LongRunningFunctionTool,
  LoopAgent,
  ParallelAgent,
  SequentialAgent,
} from '@google/adk/core';
import { MeshError } from '@agentmesh/lib/rpc';
import { AttemptEnd_Outcome } from '@agentmesh/proto/sessions/v1';
import { describe, expect, test, vi } from 'vitest';
import { AnsweringLlm } from '../src/apps/building/agents/answering-llm.ts';
import { createAgentBench, type Seen } from './run-agents.ts';
import { calls, hangs, says, ScriptLlm, streams } from './script-llm.ts';

function agent(model: ScriptLlm, rest: Partial<ConstructorParameters<typeof LlmAgent>[0]> = {}): LlmAgent {
  return new LlmAgent({ name: 'helper', model: new AnsweringLlm(model), ...rest });
}

function longRunningIds({ events }: Seen): unknown[] {
  const ids = events[0]?.longRunningToolIds;
  return Array.isArray(ids) ? ids : [];
}

function tool(name: string, execute: () => unknown): FunctionTool {
  return new FunctionTool({ name, description: name, execute });
}

describe('a run', () => {
  test('a no-op run costs two calls', async () => {
    const bench = createAgentBench(agent(new ScriptLlm(says('hi'))));
    const seen = await bench.run();
    expect(bench.sessions.calls).toEqual(['beginTurn', 'appendEvents']);
    expect(seen.events).toMatchObject([{ author: 'helper', content: { parts: [{ text: 'hi' }] } }]);
    expect(bench.sessions.run(bench.key).end?.outcome).toBe(AttemptEnd_Outcome.COMPLETED);
  });

  test('events are sent byte for byte as they are stored', async () => {
    const bench = createAgentBench(agent(new ScriptLlm(says('hi'))));
    const seen = await bench.run({ customMetadata: { trace: 7, none: null } });
    expect(seen.events).toEqual(bench.sessions.events(bench.key).slice(1));
    expect(seen.events[0]).toMatchObject({ customMetadata: { trace: 7, none: null } });
  });

  test('partials are sent to a viewer that streams and never stored', async () => {
    const bench = createAgentBench(agent(new ScriptLlm(streams('one ', 'two'))));
    const seen = await bench.run({ streaming: true });
    expect(seen.events.map((event) => event.partial)).toEqual([true, true, false]);
    expect(new Set(seen.events.map((event) => event.id)).size).toBe(3);
    expect(bench.sessions.events(bench.key).slice(1)).toMatchObject([{ partial: false }]);
  });

  test('partials are not sent to a viewer that did not ask for them', async () => {
    const bench = createAgentBench(agent(new ScriptLlm(streams('one ', 'two'))));
    expect((await bench.run()).events).toHaveLength(1);
  });

  test('a function call is stored before its tool runs', async () => {
    const stored: number[] = [];
    const look = tool('look', () => {
      stored.push(bench.sessions.events(bench.key).length);
      return { found: true };
    });
    const bench = createAgentBench(agent(new ScriptLlm(calls('look'), says('done')), { tools: [look] }));
    const seen = await bench.run();
    expect(stored).toEqual([2]);
    expect(seen.events).toHaveLength(3);
    expect(seen.events[0]).toMatchObject({ longRunningToolIds: [] });
    expect(seen.events[1]).not.toHaveProperty('longRunningToolIds');
  });

  test('a failing tool ends with a stored visible event', async () => {
    const broken = tool('broken', () => {
      throw new Error('no luck');
    });
    const bench = createAgentBench(agent(new ScriptLlm(calls('broken'), says('sorry')), { tools: [broken] }));
    const seen = await bench.run();
    const [, response] = bench.sessions.events(bench.key).slice(1);
    expect(JSON.stringify(response)).toContain('no luck');
    expect(seen.events).toHaveLength(3);
  });

  test('a call of an unknown tool is answered once, and the model is called again', async () => {
    const model = new ScriptLlm(calls('nowhere'), says('I see'));
    const bench = createAgentBench(agent(model));
    const seen = await bench.run();
    expect(model.requests).toHaveLength(2);
    expect(JSON.stringify(seen.events[1])).toContain('There is no tool');
    expect(bench.sessions.run(bench.key).end?.outcome).toBe(AttemptEnd_Outcome.COMPLETED);
  });

  test.each(['agentName', 'agent_name'])('a transfer names its agent as %s', async (key) => {
    const other = new LlmAgent({ name: 'other', model: new ScriptLlm(says('I am here')) });
    const model = new ScriptLlm(calls('transfer_to_agent', { [key]: 'other' }));
    const bench = createAgentBench(agent(model, { subAgents: [other] }));
    const seen = await bench.run();
    expect(seen.events.map(({ author }) => author)).toEqual(['helper', 'helper', 'other']);
    expect(JSON.stringify(seen.events[0])).toContain(`"args":{"${key}":"other"}`);
  });

  test('models are told of the transfer as by ADK for Python', async () => {
    const other = new LlmAgent({ name: 'other', model: new ScriptLlm(says('I am here')) });
    const model = new ScriptLlm(calls('transfer_to_agent', { agent_name: 'other' }));
    await createAgentBench(agent(model, { subAgents: [other] })).run();
    const declared = JSON.stringify(model.requests[0]?.config?.tools);
    expect(declared).toContain('"required":["agent_name"]');
    expect(declared).not.toContain('agentName');
  });

  test('a transfer to an unknown agent is answered with an error, and the model is called again', async () => {
    const other = new LlmAgent({ name: 'other', model: new ScriptLlm(says('I am here')) });
    const model = new ScriptLlm(calls('transfer_to_agent', { agentName: 'zz' }), says('I see'));
    const bench = createAgentBench(agent(model, { subAgents: [other] }));
    const seen = await bench.run();
    const error = 'There is no agent "zz". Agents: helper, other.';
    expect(seen.events[1]).toMatchObject({ content: { parts: [{ functionResponse: { response: { error } } }] } });
    expect(bench.sessions.run(bench.key).end?.outcome).toBe(AttemptEnd_Outcome.COMPLETED);
  });

  test('a model that calls for ever is stopped at the limit, with a stored error', async () => {
    const model = new ScriptLlm(calls('again'));
    const bench = createAgentBench(agent(model, { tools: [tool('again', () => 'ok')] }));
    await bench.run();
    expect(model.requests).toHaveLength(5);
    const text = 'The run reached the limit of 5 model calls (RUNS_MAX_MODEL_CALLS, or run_limits of the app).';
    const error = { errorCode: 'MAX_MODEL_CALLS', errorMessage: text };
    expect(bench.sessions.events(bench.key).at(-1)).toMatchObject(error);
    expect(bench.sessions.run(bench.key).end?.outcome).toBe(AttemptEnd_Outcome.FAILED);
  });

  test('a failing model is a stored event, and the run has failed', async () => {
    const model = new ScriptLlm([{ errorCode: 'RATE_LIMITED', errorMessage: 'later' }]);
    const bench = createAgentBench(agent(model));
    const seen = await bench.run();
    expect(seen.failure).toEqual({ type: 'RATE_LIMITED', message: 'later' });
    expect(seen.events).toMatchObject([{ author: 'helper', errorCode: 'RATE_LIMITED', errorMessage: 'later' }]);
    expect(bench.sessions.calls).toEqual(['beginTurn', 'appendEvents']);
    expect(bench.sessions.run(bench.key).end).toMatchObject({
      outcome: AttemptEnd_Outcome.FAILED,
      errorCode: 'RATE_LIMITED',
    });
  });

  test('an exception in the loop is a stored event, and then a failure', async () => {
    const bench = createAgentBench(agent(new ScriptLlm(says('hi')), { instruction: 'Say {missing}' }));
    const seen = await bench.run();
    expect(seen.events).toMatchObject([{ author: 'helper', errorCode: 'AGENT_ERROR' }]);
    expect(seen.failure?.message).toContain('missing');
    expect(bench.sessions.events(bench.key)).toHaveLength(2);
    expect(bench.sessions.run(bench.key).end?.outcome).toBe(AttemptEnd_Outcome.FAILED);
  });

  test('an answer that cannot be JSON ends the run as failed', async () => {
    const odd = tool('odd', () => ({ size: 1n }));
    const bench = createAgentBench(agent(new ScriptLlm(calls('odd'), says('done')), { tools: [odd] }));
    const seen = await bench.run();
    expect(seen.failure?.type).toBe('TypeError');
    expect(bench.sessions.run(bench.key).end?.outcome).toBe(AttemptEnd_Outcome.FAILED);
  });

  test('an event that cannot be stored ends the run as failed', async () => {
    const bench = createAgentBench(agent(new ScriptLlm(says('hi'))));
    let refused = false;
    bench.sessions.before = (call) => {
      if (call !== 'appendEvents' || refused) return;
      refused = true;
      throw new MeshError('invalid_argument', 'request_invalid', 'Cannot be stored.');
    };
    await bench.run();
    expect(bench.sessions.events(bench.key).at(-1)).toMatchObject({ errorCode: 'REQUEST_INVALID' });
    expect(bench.sessions.run(bench.key).end?.outcome).toBe(AttemptEnd_Outcome.FAILED);
  });

  test('an event that the sessions service keeps failing on ends the run as failed, and frees the session', async () => {
    const bench = createAgentBench(agent(new ScriptLlm(says('hi'))));
    let faults = 8;
    bench.sessions.before = (call) => {
      if (call === 'appendEvents' && faults-- > 0) throw new MeshError('internal', 'fault', 'A fault.');
    };
    await bench.run();
    expect(bench.sessions.events(bench.key).at(-1)).toMatchObject({ errorCode: 'FAULT' });
    expect(bench.sessions.run(bench.key).end?.outcome).toBe(AttemptEnd_Outcome.FAILED);
  });
});

describe('an attempt', () => {
  test('a long-running tool leaves the run waiting for its call', async () => {
    const ask = new LongRunningFunctionTool({ name: 'ask', description: 'asks', execute: () => undefined });
    const bench = createAgentBench(agent(new ScriptLlm(calls('ask'), says('thanks')), { tools: [ask] }));
    const seen = await bench.run();
    const [id] = longRunningIds(seen);
    expect(bench.sessions.run(bench.key).end).toMatchObject({ outcome: AttemptEnd_Outcome.WAITING });
    const answer = { role: 'user', parts: [{ functionResponse: { id, name: 'ask', response: { yes: true } } }] };
    const resumed = await bench.run({ message: answer });
    expect(resumed.events).toMatchObject([{ content: { parts: [{ text: 'thanks' }] } }]);
  });

  test('an answer goes to the agent that asked', async () => {
    const ask = new LongRunningFunctionTool({ name: 'ask', description: 'asks', execute: () => undefined });
    const inner = new LlmAgent({ name: 'inner', model: new ScriptLlm(calls('ask'), says('from inner')), tools: [ask] });
    const outer = new SequentialAgent({ name: 'outer', subAgents: [inner] });
    const bench = createAgentBench(outer);
    const [id] = longRunningIds(await bench.run());
    const answer = { role: 'user', parts: [{ functionResponse: { id, name: 'ask', response: { yes: true } } }] };
    expect((await bench.run({ message: answer })).events).toMatchObject([{ author: 'inner' }]);
  });

  test('a lost lease stops the attempt, and nothing more is stored', async () => {
    const bench = createAgentBench(agent(new ScriptLlm(hangs)));
    const { seen } = await bench.begin();
    bench.sessions.loseTurn(bench.key);
    bench.executor.stopExpired(Infinity);
    expect((await seen).failure?.type).toBe('RunCancelled');
    await bench.executor.idle();
    expect(bench.sessions.events(bench.key)).toHaveLength(1);
  });

  test('a lost fence stops the attempt at its next append', async () => {
    const bench = createAgentBench(agent(new ScriptLlm(says('late'))));
    const { seen } = await bench.begin();
    bench.sessions.loseTurn(bench.key);
    expect((await seen).failure?.type).toBe('RunCancelled');
    expect((await seen).events).toEqual([]);
  });

  test('a deleted session stops the attempt', async () => {
    const bench = createAgentBench(agent(new ScriptLlm(says('late'))));
    const { seen } = await bench.begin();
    bench.sessions.delete(bench.key);
    expect((await seen).failure?.type).toBe('RunCancelled');
  });

  test('a tool that ignores the signal does not delay a stopped attempt', async () => {
    const deaf = tool('deaf', () => new Promise(() => undefined));
    const bench = createAgentBench(agent(new ScriptLlm(calls('deaf')), { tools: [deaf] }));
    await bench.begin();
    await vi.waitFor(() => expect(bench.sessions.events(bench.key)).toHaveLength(2));
    bench.executor.stopExpired(Infinity);
    await bench.executor.idle();
    expect(bench.executor.running).toBe(0);
  });

  test('an aborted loop agent starts no more iterations', async () => {
    const worker = agent(new ScriptLlm(hangs));
    const bench = createAgentBench(new LoopAgent({ name: 'loop', subAgents: [worker], maxIterations: 6 }));
    const { seen } = await bench.begin();
    bench.executor.stopExpired(Infinity);
    await bench.executor.idle();
    expect((await seen).failure?.type).toBe('RunCancelled');
  });

  test('when one of parallel agents fails, the others are aborted', async () => {
    let aborted = false;
    const slow = new ScriptLlm(async function* (request, signal) {
      yield* hangs(request, signal);
      aborted = true;
    });
    const failing = new LlmAgent({ name: 'failing', model: new ScriptLlm(says('x')), instruction: '{missing}' });
    const both = [failing, new LlmAgent({ name: 'slow', model: slow })];
    const bench = createAgentBench(new ParallelAgent({ name: 'both', subAgents: both }));
    await bench.run();
    await vi.waitFor(() => expect(aborted).toBe(true));
    expect(bench.sessions.run(bench.key).end?.outcome).toBe(AttemptEnd_Outcome.FAILED);
  });

  test('an unreachable sessions service delays a run and loses nothing', async () => {
    const bench = createAgentBench(agent(new ScriptLlm(says('hi'))));
    let failures = 2;
    bench.sessions.before = (call) => {
      if (call === 'appendEvents' && failures-- > 0) throw new MeshError('unavailable', 'down', 'Down.');
    };
    expect((await bench.run()).events).toHaveLength(1);
    expect(bench.sessions.run(bench.key).end?.outcome).toBe(AttemptEnd_Outcome.COMPLETED);
  });

  test('an append whose answer was lost is not repeated in the log', async () => {
    const bench = createAgentBench(agent(new ScriptLlm(says('hi'))));
    let lost = false;
    bench.sessions.after = (call) => {
      if (call !== 'appendEvents' || lost) return;
      lost = true;
      throw new MeshError('unavailable', 'down', 'Down.');
    };
    const seen = await bench.run();
    expect(seen.events).toHaveLength(1);
    expect(bench.sessions.events(bench.key)).toHaveLength(2);
  });

  test('an attempt that still runs at the end of the drain is left to another executor: it stores nothing and does not end', async () => {
    const bench = createAgentBench(agent(new ScriptLlm(hangs)));
    const { invocationId, seen } = await bench.begin();
    expect(await bench.executor.drain(10)).toEqual([expect.objectContaining({ invocationId })]);
    expect(await seen).toEqual({ events: [] });
    expect(bench.sessions.run(bench.key).end).toBeUndefined();
    expect(bench.sessions.events(bench.key)).toHaveLength(1);
  });
});

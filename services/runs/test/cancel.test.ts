import { FunctionTool, LlmAgent, type LlmRequest, ParallelAgent } from '@google/adk/core';
import { AttemptEnd_Outcome, RunCancelRequestedSchema } from '@agentmesh/proto/sessions/v1';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { encode } from './stored-session.ts';
import { type AgentBench, createAgentBench } from './run-agents.ts';
import { calls, hangs, says, ScriptLlm } from './script-llm.ts';
import { startService } from './start-service.ts';

/** Models that have streamed all their text. */
let stalled = 0;
beforeEach(() => void (stalled = 0));

/** Streams some text, and then nothing until it is aborted. */
function stalls(...pieces: string[]) {
  return async function* (request: LlmRequest, signal?: AbortSignal) {
    for (const text of pieces) yield { content: { role: 'model', parts: [{ text }] }, partial: true };
    stalled += 1;
    yield* hangs(request, signal);
  };
}

function benchOf(...steps: ConstructorParameters<typeof ScriptLlm>): AgentBench {
  return createAgentBench(new LlmAgent({ name: 'helper', model: new ScriptLlm(...steps) }));
}

/** Cancels the run in the ledger, and tells the executor as the renewal of leases does. */
async function cancel({ client, executor, key }: AgentBench, invocationId: string): Promise<void> {
  await client.cancelRun({ accountId: key.accountId, invocationId });
  await executor.renew(executor.leases());
}

const cancelledEvent = { errorCode: 'CANCELLED', interrupted: true };

describe('an attempt whose run is cancelled', () => {
  test('stores the text so far as interrupted, and the next turn sees it', async () => {
    const bench = benchOf(stalls('so ', 'far'), says('again'));
    const { invocationId, seen } = await bench.begin({ streaming: true });
    await vi.waitFor(() => expect(stalled).toBe(1));
    await cancel(bench, invocationId);
    await bench.executor.idle();
    const { events, failure } = await seen;
    expect(failure).toBeUndefined();
    expect(events.at(-1)).toMatchObject({
      ...cancelledEvent,
      author: 'helper',
      content: { parts: [{ text: 'so far' }] },
    });
    expect(bench.sessions.run(bench.key).end).toMatchObject({ outcome: AttemptEnd_Outcome.CANCELLED });
    await bench.run();
    const authors = bench.sessions.events(bench.key).map(({ author }) => author);
    expect(authors).toEqual(['user', 'helper', 'user', 'helper']);
  });

  test('stores one event without text when nothing was streamed', async () => {
    const bench = benchOf(hangs);
    const { invocationId, seen } = await bench.begin();
    await cancel(bench, invocationId);
    const { events } = await seen;
    expect(events).toMatchObject([{ ...cancelledEvent, author: 'helper' }]);
    expect(events[0]).not.toHaveProperty('content');
  });

  test('learns it from the refused append, whose events it stores with its end', async () => {
    const bench = benchOf(says('whole answer'));
    bench.sessions.before = (call) => {
      if (call !== 'appendEvents') return;
      delete bench.sessions.before;
      void bench.client.cancelRun({ invocationId: bench.sessions.run(bench.key).invocationId });
    };
    const { events } = await bench.run();
    expect(events).toMatchObject([{ content: { parts: [{ text: 'whole answer' }] } }, cancelledEvent]);
    expect(bench.sessions.events(bench.key)).toHaveLength(3);
    expect(bench.sessions.run(bench.key).end?.outcome).toBe(AttemptEnd_Outcome.CANCELLED);
  });

  test('ends as cancelled also when it fails at the same time', async () => {
    const used = calls('work').map((answer) => ({ ...answer, usageMetadata: { totalTokenCount: 60 } }));
    const agent = new LlmAgent({ name: 'helper', model: new ScriptLlm(used) });
    const bench = createAgentBench(agent, { limits: { tokens: 50 } });
    bench.sessions.before = (call) => {
      // The append before was the call, which is over the limit.
      if (call !== 'appendEvents' || bench.sessions.events(bench.key).length < 2) return;
      delete bench.sessions.before;
      bench.sessions.cancel(bench.sessions.run(bench.key).invocationId);
    };
    const { events, failure } = await bench.run();
    expect(failure).toBeUndefined();
    expect(events.at(-1)).toMatchObject(cancelledEvent);
    expect(bench.sessions.run(bench.key).end?.outcome).toBe(AttemptEnd_Outcome.CANCELLED);
  });

  test('aborts a tool, and does not wait for one that ignores it', async () => {
    const tool = new FunctionTool({
      name: 'stuck',
      description: 'never ends',
      execute: () => new Promise(() => undefined),
    });
    const model = new ScriptLlm(calls('stuck'));
    const bench = createAgentBench(new LlmAgent({ name: 'helper', model, tools: [tool] }));
    const { invocationId, seen } = await bench.begin();
    await vi.waitFor(() => expect(bench.sessions.events(bench.key)).toHaveLength(2));
    await cancel(bench, invocationId);
    expect((await seen).events.at(-1)).toMatchObject(cancelledEvent);
  });

  test('keeps the text of each of its parallel agents', async () => {
    const agents = ['left', 'right'].map((name) => new LlmAgent({ name, model: new ScriptLlm(stalls(name)) }));
    const bench = createAgentBench(new ParallelAgent({ name: 'both', subAgents: agents }));
    const { invocationId, seen } = await bench.begin({ streaming: true });
    await vi.waitFor(() => expect(stalled).toBe(2));
    await cancel(bench, invocationId);
    const whole = (await seen).events.filter((event) => event.partial !== true);
    const texts = whole.map(({ author, content }) => [
      author,
      (content as { parts: { text: string }[] }).parts[0]?.text,
    ]);
    expect(texts.toSorted(([a], [b]) => String(a).localeCompare(String(b)))).toEqual([
      ['left', 'left'],
      ['right', 'right'],
    ]);
  });
});

describe('the runs service', () => {
  const messageOf = (text: string) => encode({ role: 'user', parts: [{ text }] });

  test('stops a cancelled run at the hint', async () => {
    await using bench = await startService();
    const { invocationId } = await bench.client.startRun({
      session: bench.key,
      messageJson: messageOf('[[wait:20000]] late'),
    });
    await vi.waitFor(() => expect(bench.sessions.events(bench.key)).toHaveLength(1));
    const lease = bench.sessions.lease(bench.key);
    bench.sessions.cancel(invocationId);
    await bench.bus.publish(RunCancelRequestedSchema, { lease });
    await bench.settle();
    expect(bench.sessions.run(bench.key).end?.outcome).toBe(AttemptEnd_Outcome.CANCELLED);
  });

  test.each([true, false])('cancels a run at once when its caller leaves, if asked to (%s)', async (cancelOnLeave) => {
    await using bench = await startService();
    const leaving = new AbortController();
    const text = cancelOnLeave ? '[[wait:60000]] late' : '[[wait:300]] end';
    const request = { session: bench.key, messageJson: messageOf(text), cancelOnLeave };
    const read = async (): Promise<void> => {
      for await (const _ of bench.client.run(request, { signal: leaving.signal })) leaving.abort();
    };
    await expect(read()).rejects.toMatchObject({ code: 'canceled' });
    if (cancelOnLeave) await vi.waitFor(() => expect(bench.sessions.calls).toContain('cancelRun'));
    await bench.settle();
    const { COMPLETED, CANCELLED } = AttemptEnd_Outcome;
    expect(bench.sessions.run(bench.key).end?.outcome).toBe(cancelOnLeave ? CANCELLED : COMPLETED);
  });

  test('starts a run that is stored soon after its caller has left, and drops one that is not', async () => {
    await using bench = await startService();
    const begin = async () => {
      const [asked, stored] = [Promise.withResolvers<AbortSignal>(), Promise.withResolvers<void>()];
      bench.sessions.hold = (signal) => {
        asked.resolve(signal);
        return stored.promise;
      };
      const leaving = new AbortController();
      const request = { session: bench.key, messageJson: messageOf('short') };
      const started = bench.client.startRun(request, { signal: leaving.signal });
      const storing = await asked.promise;
      leaving.abort();
      await expect(started).rejects.toMatchObject({ code: 'canceled' });
      return { storing, stored };
    };
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const late = await begin();
      vi.advanceTimersByTime(1_000);
      expect(late.storing.aborted).toBe(true);
      const soon = await begin();
      expect(soon.storing.aborted).toBe(false);
      soon.stored.resolve();
    } finally {
      vi.useRealTimers();
    }
    await vi.waitFor(() => expect(bench.sessions.runs(bench.key)).toHaveLength(1));
    await bench.settle();
    expect(bench.sessions.run(bench.key).end?.outcome).toBe(AttemptEnd_Outcome.COMPLETED);
  });

  test('cancels a run whose caller leaves before it is accepted, if asked to', async () => {
    await using bench = await startService();
    const [asked, stored] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    bench.sessions.hold = () => {
      asked.resolve();
      return stored.promise;
    };
    const leaving = new AbortController();
    const request = { session: bench.key, messageJson: messageOf('[[wait:20000]] late'), cancelOnLeave: true };
    const seen = Array.fromAsync(bench.client.run(request, { signal: leaving.signal }));
    await asked.promise;
    leaving.abort();
    stored.resolve();
    await expect(seen).rejects.toMatchObject({ code: 'canceled' });
    await vi.waitFor(() => expect(bench.sessions.calls).toContain('cancelRun'), { timeout: 30_000 });
  });

  test('does not cancel a run that its caller has seen to the end', async () => {
    await using bench = await startService();
    const request = { session: bench.key, messageJson: messageOf('short'), cancelOnLeave: true };
    for await (const _ of bench.client.run(request));
    expect(bench.sessions.calls).not.toContain('cancelRun');
  });
});

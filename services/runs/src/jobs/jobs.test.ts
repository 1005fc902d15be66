import { LlmAgent } from '@google/adk/core';
import { MeshError } from '@agentmesh/lib/rpc';
import { type Turn, TurnSchema } from '@agentmesh/proto/sessions/v1';
import { create } from '@bufbuild/protobuf';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Context } from '../context.ts';
import { createAdmission } from '../execution/admission/admission.ts';
import { WaitingRuns } from '../execution/admission/waiting-runs.ts';
import { Strays } from '../execution/strays.ts';
import { createViewer } from '../execution/viewer.ts';
import { createCheckQueuedRuns } from './check-queued-runs.ts';
import { type AgentBench, createAgentBench, outageMs } from '../../test/run-agents.ts';
import { responsesOf } from '../../test/responses-of.ts';
import { encode, leaseSeconds } from '../../test/stored-session.ts';
import { hangs, says, ScriptLlm } from '../../test/script-llm.ts';
import { createClaimDueRuns } from './claim-due-runs.ts';
import { createRenewLeases } from './renew-leases.ts';

afterEach(() => void vi.useRealTimers());

function hanging(): AgentBench {
  return createAgentBench(new LlmAgent({ name: 'helper', model: new ScriptLlm(hangs) }));
}

/** The parts of a context that the jobs use. */
function contextOf({ client, executor }: AgentBench, maxConcurrent = 8): Context {
  const waiting = new WaitingRuns();
  const limits = { maxConcurrent, maxQueued: 9, accountMaxConcurrent: 9, accountMaxQueued: 9 };
  const admission = createAdmission({ limits, waiting });
  const surroundings = { waiting, admission, strays: new Strays(), draining: new AbortController().signal };
  const parts = { owner: 'me', sessions: client, executor, ...surroundings };
  const apps: readonly string[] = [];
  return { ...parts, config: { historyWindow: 64, apps, admission: limits } } as Context;
}

test('renewing keeps attempts and stops those that have lost their turn', async () => {
  const bench = hanging();
  const job = createRenewLeases(contextOf(bench));
  const { seen } = await bench.begin();
  await job.run();
  expect(bench.executor.running).toBe(1);
  bench.sessions.loseTurn(bench.key);
  await job.run();
  expect((await seen).failure?.type).toBe('RunCancelled');
});

test('runs whose turns were lost on the way, or were never sent, are looked for, and only then', async () => {
  const bench = hanging();
  const context = contextOf(bench);
  const job = createRenewLeases(context);
  const asked: number[] = [];
  bench.sessions.onRenewal = ({ straysBefore }) => void asked.push(straysBefore);
  await job.run();
  await job.run();
  bench.sessions.leave(bench.key);
  bench.sessions.after = (call) => {
    if (call === 'claimRuns') throw new MeshError('unavailable', 'connection_lost', 'Lost.');
  };
  await expect(createClaimDueRuns(context).run()).rejects.toThrow('Lost.');
  await job.run();
  expect(asked).toEqual([0, 0, bench.sessions.clock]);
});

test('a process says that it is alive also while no attempt runs', async () => {
  const bench = hanging();
  await createRenewLeases(contextOf(bench)).run();
  expect(bench.sessions.calls).toEqual(['renewLeases']);
});

test('an attempt whose lease cannot be renewed goes on, but not for ever', async () => {
  const bench = hanging();
  const job = createRenewLeases(contextOf(bench));
  vi.useFakeTimers({ toFake: ['performance'] });
  await bench.begin();
  bench.sessions.before = () => {
    throw new MeshError('unavailable', 'down', 'Down.');
  };
  vi.advanceTimersByTime(leaseSeconds * 1_000 + outageMs - 1_000);
  await expect(job.run()).rejects.toThrow('Down.');
  expect(bench.executor.running).toBe(1);
  vi.advanceTimersByTime(2_000);
  await expect(job.run()).rejects.toThrow('Down.');
  await bench.executor.idle();
  expect(bench.executor.running).toBe(0);
});

test('a process at its limit claims no more runs, and has those of dead executors ended all the same', async () => {
  const bench = hanging();
  const context = contextOf(bench, 1);
  bench.sessions.leave(bench.key);
  context.admission.started('a');
  await createClaimDueRuns(context).run();
  expect(bench.sessions.calls).toEqual(['claimRuns']);
  expect(bench.executor.running).toBe(0);
  context.admission.ended('a');
  await createClaimDueRuns(context).run();
  expect(bench.executor.running).toBe(1);
  bench.executor.stopExpired(Infinity);
});

test('a process that was stopped for longer than its lease goes on with its runs, and does not begin them anew', async () => {
  const bench = hanging();
  vi.useFakeTimers({ toFake: ['performance'] });
  await bench.begin();
  vi.advanceTimersByTime(leaseSeconds * 1_000 + 1);
  bench.sessions.calls.length = 0;
  await createClaimDueRuns(contextOf(bench)).run();
  expect(bench.sessions.calls).toEqual(['renewLeases', 'claimRuns']);
  await createClaimDueRuns(contextOf(bench)).run();
  expect(bench.sessions.calls).toEqual(['renewLeases', 'claimRuns', 'claimRuns']);
  bench.executor.stopExpired(Infinity);
});

test('runs of dead executors are taken over one answer after the other, without a pause, also by a process at its limit', async () => {
  const bench = hanging();
  const context = contextOf(bench, 1);
  context.admission.started('a');
  const started: Turn[] = [];
  const takeovers = [2, 2, 1].map((count) =>
    Array.from({ length: count }, () => create(TurnSchema, { isTakeover: true })),
  );
  const claimRuns = () => Promise.resolve({ turns: takeovers.shift() ?? [] });
  const executor = { start: (turn: Turn) => void started.push(turn), expired: () => [] };
  await createClaimDueRuns({ ...context, sessions: { claimRuns }, executor } as unknown as Context).run();
  expect(started).toHaveLength(5);
});

describe('a run that waits, although every hint was lost,', () => {
  const messageJson = encode({ role: 'user', parts: [{ text: 'hello' }] });

  async function waitBehind(bench: AgentBench, context: Context) {
    const { seen } = await bench.begin();
    const { invocationId, sessionPk } = await bench.client.beginTurn({ session: bench.key, messageJson, owner: 'me' });
    const viewer = createViewer(false);
    context.waiting.add({ session: bench.key, invocationId, sessionPk, viewer });
    return { viewer, invocationId, first: seen };
  }

  test('starts when it has its turn', async () => {
    const bench = createAgentBench(new LlmAgent({ name: 'helper', model: new ScriptLlm(says('one'), says('two')) }));
    const context = contextOf(bench);
    const { viewer, first } = await waitBehind(bench, context);
    await first;
    await createCheckQueuedRuns(context).run();
    const responses = await Array.fromAsync(responsesOf(viewer));
    expect(responses.map(({ kind }) => kind?.case)).toEqual(['event']);
    expect(context.waiting.size).toBe(0);
  });

  test.each([
    ['was cancelled', (bench: AgentBench, id: string) => bench.sessions.cancel(id)],
    ['is gone with its session', (bench: AgentBench) => bench.sessions.delete(bench.key)],
  ])('and %s: its viewer is told', async (_, end) => {
    const bench = hanging();
    const context = contextOf(bench);
    const { viewer, invocationId } = await waitBehind(bench, context);
    end(bench, invocationId);
    await createCheckQueuedRuns(context).run();
    const responses = await Array.fromAsync(responsesOf(viewer));
    expect(responses.map(({ kind }) => kind?.value)).toMatchObject([{ type: 'RunCancelled' }]);
    bench.executor.stopExpired(Infinity);
  });
});

test('a run of a process that died is executed by another', async () => {
  const bench = createAgentBench(new LlmAgent({ name: 'helper', model: new ScriptLlm(says('here')) }));
  bench.sessions.leave(bench.key);
  await createClaimDueRuns(contextOf(bench)).run();
  await bench.executor.idle();
  expect(bench.sessions.events(bench.key).map(({ author }) => author)).toEqual(['user', 'helper']);
});

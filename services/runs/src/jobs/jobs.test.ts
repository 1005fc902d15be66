import { LlmAgent } from '@google/adk';
import { MeshError } from '@agentmesh/lib/rpc';
import { afterEach, expect, test, vi } from 'vitest';
import type { Context } from '../context.ts';
import { createWaitingViewers } from '../execution/viewers/waiting-viewers.ts';
import { type AgentBench, createAgentBench } from '../../test/run-agents.ts';
import { leaseSeconds } from '../../test/stored-session.ts';
import { hangs, says, ScriptLlm } from '../../test/script-llm.ts';
import { createClaimDueRuns } from './claim-due-runs.ts';
import { createRenewLeases } from './renew-leases.ts';

afterEach(() => void vi.useRealTimers());

function hanging(): AgentBench {
  return createAgentBench(new LlmAgent({ name: 'helper', model: new ScriptLlm(hangs) }));
}

/** The parts of a context that the jobs use. */
function contextOf({ client, executor }: AgentBench, maxConcurrent = 8): Context {
  const parts = { owner: 'me', sessions: client, executor, waiting: createWaitingViewers() };
  return { ...parts, config: { historyWindow: 64, maxConcurrent } } as Context;
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

test('nothing is renewed where nothing runs', async () => {
  const bench = hanging();
  await createRenewLeases(contextOf(bench)).run();
  expect(bench.sessions.calls).toEqual([]);
});

test('an attempt whose lease cannot be renewed is stopped when it has run out', async () => {
  const bench = hanging();
  const job = createRenewLeases(contextOf(bench));
  vi.useFakeTimers({ toFake: ['Date'] });
  await bench.begin();
  bench.sessions.before = () => {
    throw new MeshError('unavailable', 'down', 'Down.');
  };
  vi.setSystemTime(Date.now() + leaseSeconds * 1_000 - 1_000);
  await expect(job.run()).rejects.toThrow('Down.');
  expect(bench.executor.running).toBe(1);
  vi.setSystemTime(Date.now() + 2_000);
  await expect(job.run()).rejects.toThrow('Down.');
  await bench.executor.idle();
  expect(bench.executor.running).toBe(0);
});

test('a process at its limit claims no more runs', async () => {
  const bench = hanging();
  await bench.begin();
  await createClaimDueRuns(contextOf(bench, 1)).run();
  expect(bench.sessions.calls).toEqual(['beginTurn']);
  bench.executor.stopLost(bench.executor.leases());
});

test('a run of a process that died is executed by another', async () => {
  const bench = createAgentBench(new LlmAgent({ name: 'helper', model: new ScriptLlm(says('here')) }));
  bench.sessions.leave(bench.key);
  await createClaimDueRuns(contextOf(bench)).run();
  await bench.executor.idle();
  expect(bench.sessions.events(bench.key).map(({ author }) => author)).toEqual(['user', 'helper']);
});

import { setTimeout as delay } from 'node:timers/promises';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { expect, test } from 'vitest';
import { newAccount } from '../caller.ts';
import { mixedLoad } from '../faults/mixed-load.ts';
import { startNamedMesh } from './named/named-mesh.ts';

const isFull = process.env.VERIFY === 'full';
/** The times of a cluster: how long a name server keeps an answer, how long a new pod is ready before a former one goes (`minReadySeconds`), and `preStopSeconds`. */
const size = isFull
  ? {
      words: ['artifacts', 'auth', 'keys', 'memory', 'runs', 'sessions'],
      clients: 8,
      requests: 2_000,
      pauseMs: 0,
      keptMs: 30_000,
    }
  : { words: ['auth', 'runs', 'sessions'], clients: 4, requests: 100, pauseMs: 50, keptMs: 4_000 };
const { words, clients, requests, pauseMs, keptMs } = size;
const preStopMs = 5_000;
const without = ['artifacts', 'memory'].filter((word) => !words.includes(word));
/** The least part of its calls that a new replica gets beside one other. */
const leastShare = 0.3;

test.skipIf(process.platform !== 'linux')(
  'a rollout of all services fails no request while name servers give answers that are as old as a new replica has to be ready',
  { timeout: 600_000 },
  async () => {
    await using resources = new AsyncDisposableStack();
    const { url: databaseUrl } = resources.use(await testDatabaseUrl());
    const { mesh, surge, remove } = resources.use(await startNamedMesh({ words, databaseUrl, keptMs }));
    const caller = await newAccount(mesh.url);
    let isDone = false;
    const rollout = async (): Promise<void> => {
      await surge();
      await delay(keptMs);
      await remove(words, preStopMs);
      // Callers that ask now may still be told both addresses.
      await delay(keptMs);
    };
    const [{ failed, count }] = await Promise.all([
      mixedLoad({ caller, clients, without, pauseMs, isOver: (count) => isDone && count >= requests }),
      rollout().finally(() => (isDone = true)),
    ]);
    process.stdout.write(`names kept ${keptMs / 1_000} s | ${failed.length} of ${count} |\n`);
    expect(failed).toEqual([]);
  },
);

test.skipIf(process.platform !== 'linux')('a new replica gets its share of the calls within 30 s', async () => {
  await using resources = new AsyncDisposableStack();
  const { url: databaseUrl } = resources.use(await testDatabaseUrl());
  const named = resources.use(
    await startNamedMesh({ words: ['auth', 'runs', 'sessions'], databaseUrl, keptMs: 5_000 }),
  );
  const caller = await newAccount(named.mesh.url);
  let isDone = false;
  const load = { caller, clients: 4, without: ['artifacts', 'memory'], pauseMs: pauseMs / 5, isOver: () => isDone };
  const share = async (): Promise<void> => {
    await named.surge();
    const startedMs = performance.now();
    const both = () => Promise.all(['sessions', 'sessions-2'].map((name) => named.callsOf(name)));
    let [formerBefore = 0, newBefore = 0] = await both();
    const shareOfNew = async (): Promise<number> => {
      const [former = 0, fresh = 0] = await both();
      const part = (fresh - newBefore) / Math.max(1, fresh - newBefore + former - formerBefore);
      [formerBefore, newBefore] = [former, fresh];
      return part;
    };
    await expect.poll(shareOfNew, { timeout: 30_000, interval: 1_000 }).toBeGreaterThan(leastShare);
    process.stdout.write(`a share of ${leastShare} after ${Math.round(performance.now() - startedMs)} ms\n`);
  };
  const [{ failed }] = await Promise.all([mixedLoad(load), share().finally(() => (isDone = true))]);
  expect(failed).toEqual([]);
});

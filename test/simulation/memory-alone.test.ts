import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { expect, test } from 'vitest';
import { mixedLoad } from '../faults/mixed-load.ts';
import { startRollout } from './upgrade/rollout.ts';

const isFull = process.env.VERIFY === 'full';
const size = isFull
  ? {
      words: ['artifacts', 'auth', 'keys', 'memory', 'runs', 'sessions', 'transcription', 'webhooks'],
      clients: 8,
      requests: 2_000,
      pauseMs: 0,
    }
  : { words: ['auth', 'memory', 'runs', 'sessions'], clients: 4, requests: 100, pauseMs: 50 };
const without = size.words.includes('artifacts') ? [] : ['artifacts'];

test('memory is upgraded alone, and back, beside the rest of the mesh: no request fails, and no other process changes', {
  timeout: 600_000,
}, async () => {
  await using resources = new AsyncDisposableStack();
  const { url: databaseUrl } = resources.use(await testDatabaseUrl());
  const options = { words: size.words, doubled: ['memory'], databaseUrl, next: 'memory' } as const;
  const rollout = resources.use(await startRollout(options));
  const starts = () => rollout.lines.filter((line) => line.includes('"msg":"ready"')).length;
  const others = starts() - 2;
  const upgrades = async (): Promise<void> => {
    await rollout.migrate('next', ['memory']);
    await rollout.replace('next', ['memory']);
    await rollout.replace('this', ['memory']);
  };
  let isDone = false;
  const [{ failed, count }] = await Promise.all([
    mixedLoad({
      caller: rollout.caller,
      clients: size.clients,
      pauseMs: size.pauseMs,
      without,
      isOver: (count) => isDone && count >= size.requests,
    }),
    upgrades().finally(() => (isDone = true)),
  ]);
  process.stdout.write(`memory alone | ${failed.length} of ${count} |\n`);
  expect(failed).toEqual([]);
  expect({ crashed: rollout.crashed, starts: starts() }).toEqual({ crashed: [], starts: others + 6 });
  expect(rollout.lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});

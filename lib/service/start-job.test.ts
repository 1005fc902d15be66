import { expect, test } from 'vitest';
import { createLogger } from '../telemetry/index.ts';
import { startJob } from './index.ts';

function recordingLog() {
  const lines: string[] = [];
  const write = (line: string): void => void lines.push((JSON.parse(line) as { msg: string }).msg);
  return { lines, log: createLogger({ level: 'warn', name: 'test', destination: { write } }) };
}

test('a job that fails goes on, and logs the failure once until it works again', async () => {
  const { lines, log } = recordingLog();
  const rounds = ['bad', 'bad', 'good', 'bad', 'good'];
  const done: string[] = [];
  const run = async (): Promise<void> => {
    const round = rounds[done.length] ?? 'good';
    done.push(round);
    if (round === 'bad') throw new Error('no');
  };
  await using _job = startJob({ pauseMs: 1, failure: 'it failed', run }, { log });
  await expect.poll(() => done.length).toBeGreaterThan(rounds.length);
  expect(lines).toEqual(['it failed', 'it failed']);
});

test('disposing waits for the round in hand', async () => {
  const { log } = recordingLog();
  const gate = Promise.withResolvers<void>();
  const rounds = { begun: 0, ended: 0 };
  const run = async (): Promise<void> => {
    rounds.begun += 1;
    await gate.promise;
    rounds.ended += 1;
  };
  const job = startJob({ pauseMs: 1, failure: 'it failed', run }, { log });
  await expect.poll(() => rounds.begun).toBe(1);
  const disposed = job[Symbol.asyncDispose]();
  expect(rounds).toEqual({ begun: 1, ended: 0 });
  gate.resolve();
  await disposed;
  expect(rounds).toEqual({ begun: 1, ended: 1 });
});

test('no round begins once the process drains, but of a job that goes on until it is disposed', async () => {
  const { log } = recordingLog();
  const draining = new AbortController();
  const rounds = { drained: 0, kept: 0 };
  const job = (name: keyof typeof rounds) => ({
    pauseMs: 1,
    failure: 'it failed',
    run: async () => void (rounds[name] += 1),
  });
  await using _drained = startJob(job('drained'), { log, draining: draining.signal });
  await using _kept = startJob(job('kept'), { log });
  await expect.poll(() => rounds.drained).toBeGreaterThan(2);
  draining.abort();
  const { drained, kept } = rounds;
  await expect.poll(() => rounds.kept).toBeGreaterThan(kept + 10);
  expect(rounds.drained).toBe(drained);
});

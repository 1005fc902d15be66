import { setImmediate as immediate } from 'node:timers/promises';
import { createLogger } from '@agentmesh/lib/telemetry';
import { TurnSchema } from '@agentmesh/proto/sessions/v1';
import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { createExecutor, type ExecutorOptions, type HeldLease } from './executor.ts';
import type { Ending } from './execution-deps.ts';

/** An executor whose attempts end when the test says so, and work for a time in milliseconds when they begin. */
function openExecutor(workMs = 0) {
  const running = new Map<string, (ending: Ending) => void>();
  const sessions = {
    renewLeases: async ({ leases }: { leases: HeldLease[] }) => ({ lost: [], interrupted: [], cancelled: leases }),
  };
  const options = {
    outageMs: 0,
    sessions: sessions as unknown as ExecutorOptions['sessions'],
    around: ({ invocationId }) => {
      for (const until = performance.now() + workMs; performance.now() < until; );
      return new Promise((resolve) => running.set(invocationId, resolve));
    },
  } satisfies Partial<ExecutorOptions>;
  const executor = createExecutor(options as Partial<ExecutorOptions> as ExecutorOptions);
  const start = (accountId: string, invocationId: string, over: object): void =>
    executor.start(create(TurnSchema, { session: { accountId }, invocationId, fence: BigInt(invocationId), ...over }));
  const end = (invocationId: string): void => {
    running.get(invocationId)?.('ended');
    running.delete(invocationId);
  };
  return { executor, start, end, begun: () => [...running.keys()].join(' ') };
}

const again = { isTakeover: true, deaths: 2 };

test('runs whose executors died more than once are executed one at a time for each account', async () => {
  const { executor, start, end, begun } = openExecutor();
  for (const name of ['1', '2', '3']) start('greedy', name, again);
  start('stranger', '4', again);
  expect([begun(), executor.leases().length]).toEqual(['1 4', 4]);
  end('1');
  await expect.poll(begun).toBe('4 2');
  end('2');
  await expect.poll(begun).toBe('4 3');
  for (const name of ['3', '4']) end(name);
  await executor.idle();
});

test('other runs of the account wait for none of them', () => {
  const { start, begun } = openExecutor();
  start('a', '1', again);
  start('a', '2', { isTakeover: true, deaths: 1 });
  start('a', '3', { attempt: 1 });
  // Handed over again and again, by executors that stopped.
  start('a', '4', { isTakeover: true, attempt: 5, deaths: 0 });
  expect(begun()).toBe('1 2 3 4');
});

test('a run that is cancelled while it waits for its turn goes on at once, to its end', async () => {
  const { executor, start, end, begun } = openExecutor();
  for (const name of ['1', '2', '3']) start('a', name, again);
  await executor.renew([{ accountId: 'a', sessionPk: 0n, invocationId: '2', fence: 2n }]);
  await expect.poll(begun).toBe('1 2');
  end('2');
  end('1');
  await expect.poll(begun).toBe('3');
  end('3');
  await executor.idle();
});

test('an attempt that rejects is left like one that has lost its turn, and holds up no other', async () => {
  const ended: unknown[] = [];
  const options = {
    outageMs: 0,
    log: createLogger({ level: 'silent', name: 'test' }),
    around: () => Promise.reject(new Error('out of order')),
    onEnded: (ending, { invocationId }) => void ended.push([invocationId, ending]),
  } satisfies Partial<ExecutorOptions>;
  const executor = createExecutor(options as Partial<ExecutorOptions> as ExecutorOptions);
  for (const invocationId of ['1', '2']) {
    executor.start(create(TurnSchema, { session: { accountId: 'a' }, invocationId, ...again }));
  }
  await executor.idle();
  expect([executor.running, ended]).toEqual([
    0,
    [
      ['1', 'lost'],
      ['2', 'lost'],
    ],
  ]);
});

test('runs of an account that are stored together begin in several rounds of the event loop beside another account', async () => {
  const { executor, start, end, begun } = openExecutor(1);
  const names = Array.from({ length: 16 }, (_, index) => String(index + 2));
  start('stranger', '1', {});
  for (const name of names) start('greedy', name, {});
  const count = (): number => begun().split(' ').length - 1;
  expect(count()).toBeLessThanOrEqual(3);
  for (let before = count(); before < names.length; before = count()) {
    await immediate();
    expect(count() - before).toBeLessThanOrEqual(2);
  }
  for (const name of ['1', ...names]) end(name);
  await executor.idle();
});

import type { Bus } from '@agentmesh/lib/bus';
import { createLocalBus } from '@agentmesh/lib/bus/testing';
import { createLogger } from '@agentmesh/lib/telemetry';
import { afterEach, expect, test } from 'vitest';
import { type ChangeFeeds, createChangeFeeds } from './change-feeds.ts';
import type { Looking } from './look.ts';

const log = createLogger({ level: 'silent', name: 'test' });
let feeds: ChangeFeeds | undefined;
afterEach(() => feeds?.[Symbol.asyncDispose]());

/** An account that has nothing. */
const services = {
  sessions: { listRuns: async () => ({ runs: [] }) },
  notices: { listNotices: async () => ({ notices: [] }) },
  schedules: { listSchedules: async () => ({ schedules: [] }) },
  agents: { listAgents: async () => ({ agents: [] }) },
} as unknown as Looking;

/** A bus that refuses some of its next subscriptions, by their place among them, and counts those that are open. */
function refusingBus(...refused: readonly number[]) {
  const bus = createLocalBus();
  const counts = { asked: 0, open: 0 };
  const subscribe: Bus['subscribe'] = async (topic, handler) => {
    counts.asked += 1;
    if (refused.includes(counts.asked)) throw new Error('the bus refused it');
    const leave = await bus.subscribe(topic, handler);
    counts.open += 1;
    return async () => {
      counts.open -= 1;
      await leave();
    };
  };
  return { bus: { ...bus, subscribe }, counts };
}

test('a feed opens while subscriptions are refused, and the next one asks for them again; none is left of an attempt', async () => {
  const { bus, counts } = refusingBus(2);
  feeds = createChangeFeeds({ bus, services, log });
  await feeds.open('a-1');
  await expect.poll(() => counts).toEqual({ asked: 3, open: 0 });
  await feeds.open('a-2');
  await expect.poll(() => counts).toEqual({ asked: 6, open: 3 });
  await feeds.open('a-1');
  expect(counts.asked).toBe(6);
  await feeds[Symbol.asyncDispose]();
  await expect.poll(() => counts.open).toBe(0);
});

test('a feed opens and closes while the bus does not answer, and leaves what it answers later', async () => {
  const { bus, counts } = refusingBus();
  const answers = Promise.withResolvers<void>();
  const subscribe: Bus['subscribe'] = async (topic, handler) => {
    await answers.promise;
    return bus.subscribe(topic, handler);
  };
  feeds = createChangeFeeds({ bus: { ...bus, subscribe }, services, log });
  await feeds.open('a-1');
  await feeds[Symbol.asyncDispose]();
  answers.resolve();
  await expect.poll(() => counts).toEqual({ asked: 3, open: 0 });
});

test('feeds close also while their subscriptions are refused', async () => {
  const { bus, counts } = refusingBus(2);
  feeds = createChangeFeeds({ bus, services, log });
  await feeds.open('a-1');
  await feeds[Symbol.asyncDispose]();
  await expect.poll(() => counts.open).toBe(0);
});

test('feeds are closed when the bus has been left', async () => {
  const { bus, counts } = refusingBus();
  feeds = createChangeFeeds({ bus, services, log });
  await feeds.open('a-1');
  await feeds[Symbol.asyncDispose]();
  expect(counts).toEqual({ asked: 3, open: 0 });
});

test('a subscription that is refused after the feeds were closed is logged once', async () => {
  const { bus, counts } = refusingBus(2);
  const [lines, answers] = [[] as string[], Promise.withResolvers<void>()];
  const destination = { write: (line: string) => void lines.push(line) };
  const subscribe: Bus['subscribe'] = async (topic, handler) => {
    await answers.promise;
    return bus.subscribe(topic, handler);
  };
  const warned = createLogger({ level: 'warn', name: 'test', destination });
  feeds = createChangeFeeds({ bus: { ...bus, subscribe }, services, log: warned });
  await feeds.open('a-1');
  const closed = feeds[Symbol.asyncDispose]();
  answers.resolve();
  await closed;
  expect([lines.length, counts]).toEqual([1, { asked: 3, open: 0 }]);
});

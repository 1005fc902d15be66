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

test('a feed opens after a subscription was refused, and no subscription is left of the attempt', async () => {
  const { bus, counts } = refusingBus(2);
  feeds = createChangeFeeds({ bus, services, log });
  await expect(feeds.open('a-1')).rejects.toThrow('the bus refused it');
  expect(counts).toEqual({ asked: 3, open: 0 });
  await feeds.open('a-1');
  expect(counts).toEqual({ asked: 6, open: 3 });
  await feeds[Symbol.asyncDispose]();
  expect(counts.open).toBe(0);
});

test('feeds close also while their subscriptions are refused', async () => {
  const { bus, counts } = refusingBus(2);
  feeds = createChangeFeeds({ bus, services, log });
  const opening = feeds.open('a-1');
  const closing = feeds[Symbol.asyncDispose]();
  await expect(opening).rejects.toThrow('the bus refused it');
  await closing;
  expect(counts.open).toBe(0);
});

import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createMetrics } from '../../telemetry/index.ts';
import type { Delivery } from '../driver/index.ts';
import { Consumption, type ConsumptionOptions } from './consumption.ts';

const name = { subject: 'agentmesh.tests.v1.thing_done', durable: 'alpha' };
let consumption: Consumption;
let logged: string[];
/** `begin`, `end`, `ack` and `bury`, each with the text of the message, in the order of time. */
let happened: string[];

beforeEach(() => {
  vi.useFakeTimers();
  logged = [];
  happened = [];
});
afterEach(() => {
  vi.useRealTimers();
});

function start(handle: ConsumptionOptions['handle'], more: Partial<ConsumptionOptions> = {}): void {
  const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) });
  const decode = (payload: Uint8Array) => {
    const text = new TextDecoder().decode(payload);
    return text === 'broken' ? new Error('not a message') : { text };
  };
  const keyOf = (message: object) => (message as { text: string }).text.slice(0, 1);
  consumption = new Consumption({ name, log, decode, keyOf, handle, pausesMs: [1_000, 5_000], ...more });
}

function deliver(text: string, over: Partial<Delivery> = {}): void {
  const payload = new TextEncoder().encode(text);
  const note = (what: string): void => void happened.push(`${what} ${text}`);
  const bury = (reason: string) => Promise.resolve(note(`bury (${reason})`));
  const first = { id: text, subject: name.subject, sender: 'tests', earlier: 0 };
  const calls = { begin: () => undefined, ack: () => note('ack'), extend: () => note('extend'), bury };
  consumption.accept({ ...first, payload, ...calls, ...over });
}

/** A handler that takes a second, or as long as `msOf` says. */
const slow =
  (msOf: (text: string) => number = () => 1_000) =>
  async (message: object): Promise<void> => {
    const { text } = message as { text: string };
    happened.push(`begin ${text}`);
    await new Promise((resolve) => setTimeout(resolve, msOf(text)));
    happened.push(`end ${text}`);
  };

const acked = () => happened.filter((one) => one.startsWith('ack'));

test('messages with one key are handled one after the other, and others at the same time', async () => {
  start(slow((text) => (text === 'a1' ? 1_500 : 1_000)));
  for (const text of ['a1', 'a2', 'b1']) deliver(text);
  await vi.advanceTimersByTimeAsync(10_000);
  const steps = happened.filter((one) => !one.startsWith('extend'));
  expect(steps.join(', ')).toBe('begin a1, begin b1, end b1, ack b1, end a1, ack a1, begin a2, end a2, ack a2');
});

test('at most 32 handlers are at work', async () => {
  let atWork = 0;
  let most = 0;
  start(async () => {
    atWork += 1;
    most = Math.max(most, atWork);
    await new Promise((resolve) => setTimeout(resolve, 10));
    atWork -= 1;
  });
  for (let i = 0; i < 200; i += 1) deliver(`${String.fromCodePoint(0x100 + i)}x`);
  await vi.advanceTimersByTimeAsync(1_000);
  expect([most, acked().length]).toEqual([32, 200]);
});

test('a message that fails is tried again after growing pauses, before the next one of its key', async () => {
  let failures = 2;
  start(({ text }: { text?: string }) => {
    happened.push(`try ${text}`);
    failures -= 1;
    if (failures >= 0) throw new Error('not now');
  });
  deliver('a1');
  deliver('a2');
  await vi.advanceTimersByTimeAsync(700);
  expect(happened).toEqual(['try a1']);
  await vi.advanceTimersByTimeAsync(600);
  expect(happened).toEqual(['try a1', 'try a1']);
  await vi.advanceTimersByTimeAsync(10_000);
  const steps = happened.filter((one) => !one.startsWith('extend'));
  expect(steps.join(', ')).toBe('try a1, try a1, try a1, ack a1, try a2, ack a2');
});

test('after the last try a message becomes a dead letter, with a log and a metric, and the next ones of its key get one try', async () => {
  const metrics = createMetrics({ processMetrics: false });
  const tried: string[] = [];
  start(
    ({ text = '' }: { text?: string }) => {
      tried.push(text);
      if (text.startsWith('a')) throw new Error('never');
    },
    { metrics },
  );
  for (const text of ['a1', 'a2', 'b1']) deliver(text);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(tried).toEqual(['a1', 'b1', 'a1', 'a1', 'a2']);
  expect(happened.filter((one) => one.startsWith('bury'))).toEqual(['bury (never) a1', 'bury (never) a2']);
  expect(logged.filter((line) => line.includes('became a dead letter'))).toHaveLength(2);
  expect(await metrics.registry.metrics()).toContain(
    'agentmesh_bus_consumed_total{subject="agentmesh.tests.v1.thing_done",durable="alpha",outcome="dead"} 2',
  );
});

test('a message that cannot be decoded becomes a dead letter at once', async () => {
  start(() => expect.unreachable());
  deliver('broken');
  await vi.advanceTimersByTimeAsync(0);
  expect(happened).toEqual(['bury (not a message) broken']);
});

test('a message whose processes died at each try is not tried again', async () => {
  start(() => expect.unreachable());
  deliver('a1', { earlier: 3 });
  await vi.advanceTimersByTimeAsync(0);
  expect(happened).toEqual(['bury (the processes that tried it died) a1']);
});

test('a message that comes again while it is handled is handled once, and its newest delivery is acknowledged', async () => {
  start(slow());
  deliver('a1');
  deliver('a1', { ack: () => void happened.push('ack the second') });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(happened).toEqual(['begin a1', 'end a1', 'ack the second']);
});

test('a message that comes again after it was handled is only acknowledged', async () => {
  start(slow());
  deliver('a1');
  await vi.advanceTimersByTimeAsync(1_500);
  deliver('a1');
  await vi.advanceTimersByTimeAsync(1_500);
  expect(happened).toEqual(['begin a1', 'end a1', 'ack a1', 'ack a1']);
});

test('messages in hand are extended, those that wait for others too', async () => {
  start(slow(() => 5_000));
  deliver('a1');
  deliver('a2');
  await vi.advanceTimersByTimeAsync(2_100);
  expect(happened).toEqual(['begin a1', 'extend a1', 'extend a2']);
});

test('a handler that never ends is given up after five minutes, and its signal aborts', async () => {
  let signal: AbortSignal | undefined;
  start((_, delivery) => {
    signal = delivery.signal;
    return new Promise(() => undefined);
  });
  deliver('a1');
  await vi.advanceTimersByTimeAsync(5 * 60_000);
  expect(signal?.aborted).toBe(true);
  expect(logged[0]).toContain('the handler took longer than 300 s');
});

test('closing waits for the handler at work, and the messages behind it stay for the next process', async () => {
  start(slow());
  deliver('a1');
  deliver('a2');
  const closed = consumption.close();
  deliver('b1');
  await vi.advanceTimersByTimeAsync(1_000);
  await closed;
  expect(happened).toEqual(['begin a1', 'end a1', 'ack a1']);
});

test('closing does not wait longer than five seconds, and then aborts the signals', async () => {
  let signal: AbortSignal | undefined;
  start((_, delivery) => {
    signal = delivery.signal;
    return new Promise(() => undefined);
  });
  deliver('a1');
  const closed = consumption.close();
  await vi.advanceTimersByTimeAsync(5_000);
  await closed;
  expect(signal?.aborted).toBe(true);
  expect(acked()).toEqual([]);
});

test('a message that is to begin when its process ends is left to the next one', async () => {
  start(slow());
  const counted = Promise.withResolvers<void>();
  let isWanted: (() => boolean) | undefined;
  const begin: Delivery['begin'] = (wanted) => {
    isWanted = wanted;
    return counted.promise;
  };
  deliver('a1', { begin });
  expect(isWanted?.()).toBe(true);
  const closing = consumption.close();
  expect(isWanted?.()).toBe(false);
  counted.resolve();
  await closing;
  expect(happened).toEqual([]);
});

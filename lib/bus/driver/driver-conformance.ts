import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { BusDriver } from './bus-driver.ts';
import type { DriverBench, Drivers } from './driver-bench.ts';
import { testStreams } from './stream-conformance.ts';

const subject = 'agentmesh.tests.v1.thing_happened';
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const origin = { sender: 'tests', traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
const text = (payload: Uint8Array): string => new TextDecoder().decode(payload);

/** The guarantees of BusDriver, for any implementation. */
export function describeDriver(name: string, createBench: () => Promise<DriverBench>): void {
  describe(`bus driver over ${name}`, () => {
    const drivers = {} as Drivers;
    let opened: AsyncDisposableStack;

    beforeEach(async () => {
      opened = new AsyncDisposableStack();
      drivers.bench = opened.use(await createBench());
      drivers.one = opened.use(await drivers.bench.open());
      drivers.other = opened.use(await drivers.bench.open());
    });

    afterEach(() => opened.disposeAsync());

    testDelivery(drivers);
    testSubscriptions(drivers);
    testConnections(drivers);
    testStreams(drivers);
  });
}

async function collect(from: BusDriver, on = subject): Promise<{ heard: string[]; stop: () => Promise<void> }> {
  const heard: string[] = [];
  const stop = await from.subscribe(on, (payload) => void heard.push(text(payload)));
  return { heard, stop };
}

function testDelivery(drivers: Drivers): void {
  test('a hint reaches every subscriber, in its own process and in others', async () => {
    const all = [await collect(drivers.one), await collect(drivers.one), await collect(drivers.other)];
    await drivers.one.publish(subject, bytes('one'), origin);
    await vi.waitFor(() => expect(all.map(({ heard }) => heard)).toEqual([['one'], ['one'], ['one']]));
  });

  test('hints of one publisher arrive in order, equal ones too', async () => {
    const { heard } = await collect(drivers.other);
    const sent = Array.from({ length: 1_200 }, (_, i) => `${Math.floor(i / 2)}`);
    await Promise.all(sent.map((one) => drivers.one.publish(subject, bytes(one), origin)));
    await vi.waitFor(() => expect(heard).toEqual(sent));
  });

  test('a hint names its sender and carries its trace', async () => {
    const heard: unknown[] = [];
    await drivers.other.subscribe(subject, (_, from) => void heard.push(from));
    await drivers.one.publish(subject, bytes('traced'), origin);
    await drivers.one.publish(subject, bytes('untraced'), { sender: 'tests' });
    await vi.waitFor(() => expect(heard).toEqual([origin, { sender: 'tests', traceparent: undefined }]));
  });

  test('a hint does not arrive on another subject, even with long names', async () => {
    const long = `agentmesh.tests.v1.${'x'.repeat(100)}`;
    const first = await collect(drivers.other, `${long}.a`);
    const second = await collect(drivers.other, `${long}.b`);
    await drivers.one.publish(`${long}.b`, bytes('b'), origin);
    await drivers.one.publish(`${long}.a`, bytes('a'), origin);
    await vi.waitFor(() => expect([first.heard, second.heard]).toEqual([['a'], ['b']]));
  });

  test('payloads are bytes: 256 KiB of them arrive, one more is refused', async () => {
    const heard: Uint8Array[] = [];
    await drivers.other.subscribe(subject, (payload) => void heard.push(new Uint8Array(payload)));
    const payload = Uint8Array.from({ length: 256 * 1024 }, (_, i) => i % 256);
    await drivers.one.publish(subject, payload, origin);
    await drivers.one.publish(subject, new Uint8Array(), origin);
    await vi.waitFor(() => expect(heard).toEqual([payload, new Uint8Array()]));
    const refused = { code: 'invalid_argument', reason: 'bus_payload_too_large' };
    await expect(drivers.one.publish(subject, new Uint8Array(256 * 1024 + 1), origin)).rejects.toMatchObject(refused);
  });
}

function testSubscriptions(drivers: Drivers): void {
  test('no message arrives after unsubscribing, and other subscribers go on', async () => {
    const leaving = await collect(drivers.other);
    const staying = await collect(drivers.other);
    await leaving.stop();
    await leaving.stop();
    await drivers.one.publish(subject, bytes('later'), origin);
    await vi.waitFor(() => expect(staying.heard).toEqual(['later']));
    expect(leaving.heard).toEqual([]);
  });

  test('a handler that throws stops no other', async () => {
    await drivers.other.subscribe(subject, () => {
      throw new Error('sync');
    });
    await drivers.other.subscribe(subject, () => Promise.reject(new Error('async')));
    const { heard } = await collect(drivers.other);
    await drivers.one.publish(subject, bytes('one'), origin);
    await drivers.one.publish(subject, bytes('two'), origin);
    await vi.waitFor(() => expect(heard).toEqual(['one', 'two']));
  });
}

function testConnections(drivers: Drivers): void {
  test('subscriptions survive a lost connection', async () => {
    const { heard } = await collect(drivers.other);
    await drivers.bench.cutConnections();
    await vi.waitFor(() => Promise.all([drivers.one.ping(), drivers.other.ping()]));
    await drivers.one.publish(subject, bytes('after'), origin);
    await vi.waitFor(() => expect(heard).toEqual(['after']));
  });

  test('a subscription made while the connection is lost works once it resolves', async () => {
    await drivers.bench.cutConnections();
    const { heard } = await collect(drivers.other);
    await vi.waitFor(() => drivers.one.publish(subject, bytes('heard'), origin));
    await vi.waitFor(() => expect(heard).toContain('heard'));
  });

  test('hints published before the driver is disposed are sent', async () => {
    const { heard } = await collect(drivers.other);
    const short = await drivers.bench.open();
    const sent = short.publish(subject, bytes('last words'), origin);
    await short[Symbol.asyncDispose]();
    await sent;
    await vi.waitFor(() => expect(heard).toEqual(['last words']));
  });
}

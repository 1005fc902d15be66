import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Bus } from './bus.ts';

/** What the suite needs of a driver. */
export interface BusDriver extends AsyncDisposable {
  /** A bus as another process would open it: what one publishes the others hear. */
  open(): Promise<Bus & AsyncDisposable>;
  /** Cuts every connection that the buses hold now, as a failing network would. */
  cutConnections(): Promise<void>;
}

const subject = 'agentmesh.tests.v1.thing_happened';
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (payload: Uint8Array): string => new TextDecoder().decode(payload);

interface Buses {
  driver: BusDriver;
  bus: Bus;
  /** As another process has it. */
  other: Bus;
}

/** The guarantees of the Bus interface, for any driver of it. */
export function describeBus(name: string, createDriver: () => Promise<BusDriver>): void {
  describe(`bus over ${name}`, () => {
    const buses = {} as Buses;
    let opened: AsyncDisposableStack;

    beforeEach(async () => {
      opened = new AsyncDisposableStack();
      buses.driver = opened.use(await createDriver());
      buses.bus = opened.use(await buses.driver.open());
      buses.other = opened.use(await buses.driver.open());
    });

    afterEach(() => opened.disposeAsync());

    testDelivery(buses);
    testSubscriptions(buses);
    testConnections(buses);
  });
}

async function collect(from: Bus, on = subject): Promise<{ heard: string[]; stop: () => Promise<void> }> {
  const heard: string[] = [];
  const stop = await from.subscribe(on, (payload) => void heard.push(text(payload)));
  return { heard, stop };
}

function testDelivery(buses: Buses): void {
  test('a hint reaches every subscriber, in its own process and in others', async () => {
    const all = [await collect(buses.bus), await collect(buses.bus), await collect(buses.other)];
    await buses.bus.publish(subject, bytes('one'));
    await vi.waitFor(() => expect(all.map(({ heard }) => heard)).toEqual([['one'], ['one'], ['one']]));
  });

  test('hints of one publisher arrive in order, equal ones too', async () => {
    const { heard } = await collect(buses.other);
    const sent = Array.from({ length: 1_200 }, (_, i) => `${Math.floor(i / 2)}`);
    await Promise.all(sent.map((one) => buses.bus.publish(subject, bytes(one))));
    await vi.waitFor(() => expect(heard).toEqual(sent));
  });

  test('a subject is not heard on another one, however long the names', async () => {
    const long = `agentmesh.tests.v1.${'x'.repeat(100)}`;
    const first = await collect(buses.other, `${long}.a`);
    const second = await collect(buses.other, `${long}.b`);
    await buses.bus.publish(`${long}.b`, bytes('b'));
    await buses.bus.publish(`${long}.a`, bytes('a'));
    await vi.waitFor(() => expect([first.heard, second.heard]).toEqual([['a'], ['b']]));
  });

  test('payloads are bytes: 5,000 of them arrive, one more is refused', async () => {
    const heard: Uint8Array[] = [];
    await buses.other.subscribe(subject, (payload) => void heard.push(payload));
    const payload = Uint8Array.from({ length: 5_000 }, (_, i) => i % 256);
    await buses.bus.publish(subject, payload);
    await buses.bus.publish(subject, new Uint8Array());
    await vi.waitFor(() => expect(heard).toEqual([payload, new Uint8Array()]));
    const refused = { code: 'invalid_argument', reason: 'bus_payload_too_large' };
    await expect(buses.bus.publish(subject, new Uint8Array(5_001))).rejects.toMatchObject(refused);
  });
}

function testSubscriptions(buses: Buses): void {
  test('nothing arrives after unsubscribing, and other subscribers go on', async () => {
    const leaving = await collect(buses.other);
    const staying = await collect(buses.other);
    await leaving.stop();
    await leaving.stop();
    await buses.bus.publish(subject, bytes('later'));
    await vi.waitFor(() => expect(staying.heard).toEqual(['later']));
    expect(leaving.heard).toEqual([]);
  });

  test('a handler that throws stops no other', async () => {
    await buses.other.subscribe(subject, () => {
      throw new Error('sync');
    });
    await buses.other.subscribe(subject, () => Promise.reject(new Error('async')));
    const { heard } = await collect(buses.other);
    await buses.bus.publish(subject, bytes('one'));
    await buses.bus.publish(subject, bytes('two'));
    await vi.waitFor(() => expect(heard).toEqual(['one', 'two']));
  });
}

function testConnections(buses: Buses): void {
  test('subscriptions survive a lost connection', async () => {
    const { heard } = await collect(buses.other);
    await buses.driver.cutConnections();
    await vi.waitFor(() => Promise.all([buses.bus.ping(), buses.other.ping()]), { timeout: 5_000 });
    await buses.bus.publish(subject, bytes('after'));
    await vi.waitFor(() => expect(heard).toEqual(['after']));
  });

  test('subscribing while the connection is lost holds once it resolves', async () => {
    await buses.driver.cutConnections();
    const { heard } = await collect(buses.other);
    await vi.waitFor(() => buses.bus.publish(subject, bytes('heard')), { timeout: 5_000 });
    await vi.waitFor(() => expect(heard).toContain('heard'));
  });

  test('what was published before the bus is disposed is sent', async () => {
    const { heard } = await collect(buses.other);
    const short = await buses.driver.open();
    const sent = short.publish(subject, bytes('last words'));
    await short[Symbol.asyncDispose]();
    await sent;
    await vi.waitFor(() => expect(heard).toEqual(['last words']));
  });
}

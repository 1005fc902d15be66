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

/** The guarantees of the Bus interface, for any driver of it. */
export function describeBus(name: string, createDriver: () => Promise<BusDriver>): void {
  describe(`bus over ${name}`, () => {
    let opened: AsyncDisposableStack;
    let driver: BusDriver;
    let bus: Bus;
    let other: Bus;

    beforeEach(async () => {
      opened = new AsyncDisposableStack();
      driver = opened.use(await createDriver());
      bus = opened.use(await driver.open());
      other = opened.use(await driver.open());
    });

    afterEach(() => opened.disposeAsync());

    async function collect(from: Bus, on = subject): Promise<{ heard: string[]; stop: () => Promise<void> }> {
      const heard: string[] = [];
      const stop = await from.subscribe(on, (payload) => void heard.push(text(payload)));
      return { heard, stop };
    }

    test('a hint reaches every subscriber, in its own process and in others', async () => {
      const all = [await collect(bus), await collect(bus), await collect(other)];
      await bus.publish(subject, bytes('one'));
      await vi.waitFor(() => expect(all.map(({ heard }) => heard)).toEqual([['one'], ['one'], ['one']]));
    });

    test('hints of one publisher arrive in order, equal ones too', async () => {
      const { heard } = await collect(other);
      const sent = Array.from({ length: 1_200 }, (_, i) => `${Math.floor(i / 2)}`);
      await Promise.all(sent.map((one) => bus.publish(subject, bytes(one))));
      await vi.waitFor(() => expect(heard).toEqual(sent));
    });

    test('a subject is not heard on another one, however long the names', async () => {
      const long = `agentmesh.tests.v1.${'x'.repeat(100)}`;
      const first = await collect(other, `${long}.a`);
      const second = await collect(other, `${long}.b`);
      await bus.publish(`${long}.b`, bytes('b'));
      await bus.publish(`${long}.a`, bytes('a'));
      await vi.waitFor(() => expect([first.heard, second.heard]).toEqual([['a'], ['b']]));
    });

    test('nothing arrives after unsubscribing, and other subscribers go on', async () => {
      const leaving = await collect(other);
      const staying = await collect(other);
      await leaving.stop();
      await leaving.stop();
      await bus.publish(subject, bytes('later'));
      await vi.waitFor(() => expect(staying.heard).toEqual(['later']));
      expect(leaving.heard).toEqual([]);
    });

    test('a handler that throws stops no other', async () => {
      await other.subscribe(subject, () => {
        throw new Error('sync');
      });
      await other.subscribe(subject, () => Promise.reject(new Error('async')));
      const { heard } = await collect(other);
      await bus.publish(subject, bytes('one'));
      await bus.publish(subject, bytes('two'));
      await vi.waitFor(() => expect(heard).toEqual(['one', 'two']));
    });

    test('payloads are bytes: 5,000 of them arrive, one more is refused', async () => {
      const heard: Uint8Array[] = [];
      await other.subscribe(subject, (payload) => void heard.push(payload));
      const payload = Uint8Array.from({ length: 5_000 }, (_, i) => i % 256);
      await bus.publish(subject, payload);
      await bus.publish(subject, new Uint8Array());
      await vi.waitFor(() => expect(heard).toEqual([payload, new Uint8Array()]));
      const refused = { code: 'invalid_argument', reason: 'bus_payload_too_large' };
      await expect(bus.publish(subject, new Uint8Array(5_001))).rejects.toMatchObject(refused);
    });

    test('subscriptions survive a lost connection', async () => {
      const { heard } = await collect(other);
      await driver.cutConnections();
      await vi.waitFor(() => Promise.all([bus.ping(), other.ping()]), { timeout: 5_000 });
      await bus.publish(subject, bytes('after'));
      await vi.waitFor(() => expect(heard).toEqual(['after']));
    });

    test('subscribing while the connection is lost holds once it resolves', async () => {
      await driver.cutConnections();
      const { heard } = await collect(other);
      await vi.waitFor(() => bus.publish(subject, bytes('heard')), { timeout: 5_000 });
      await vi.waitFor(() => expect(heard).toContain('heard'));
    });

    test('what was published before the bus is disposed is sent', async () => {
      const { heard } = await collect(other);
      const short = await driver.open();
      const sent = short.publish(subject, bytes('last words'));
      await short[Symbol.asyncDispose]();
      await sent;
      await vi.waitFor(() => expect(heard).toEqual(['last words']));
    });
  });
}

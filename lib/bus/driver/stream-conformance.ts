import { beforeEach, expect, test, vi } from 'vitest';
import type { BusDriver } from './bus-driver.ts';
import type { Delivery } from './delivery.ts';
import type { Drivers } from './driver-bench.ts';
import type { Stream, StreamMessage } from './stream.ts';

const subject = 'agentmesh.tests.v1.thing_done';
const plan = { service: 'tests', topics: [{ subject, durables: ['alpha', 'beta'] }] };
const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
/** A process that dies keeps its messages for so long. */
const takeOver = { timeout: 45_000, interval: 50 };

const messageOf = (number: number): StreamMessage => ({
  id: `tests:${number}`,
  subject,
  sender: 'tests',
  traceparent,
  payload: new TextEncoder().encode(String(number)),
});

const messages = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => messageOf(from + i));
const numberOf = ({ payload }: { payload: Uint8Array }): number => Number(new TextDecoder().decode(payload));

interface Taken {
  readonly deliveries: Delivery[];
  /** The numbers of the messages, in the order of their deliveries. */
  numbers(): number[];
  readonly stop: () => Promise<void>;
}

/** Takes the messages of a durable consumer. `then` says what becomes of each. */
async function take(from: BusDriver, durable: string, then: (delivery: Delivery) => void): Promise<Taken> {
  const deliveries: Delivery[] = [];
  const accept = (delivery: Delivery): void => {
    deliveries.push(delivery);
    then(delivery);
  };
  const stop = await from.consume({ subject, durable }, { accept });
  return { deliveries, numbers: () => deliveries.map(numberOf), stop };
}

const ack = (delivery: Delivery): void => delivery.ack();
const keep = (): void => undefined;

/** The guarantees of streams and durable consumers. */
export function testStreams(drivers: Drivers): void {
  let stream: Stream;
  beforeEach(async () => {
    stream = await drivers.one.openStream(plan);
  });
  const parts = { drivers, append: (from: number, to: number) => stream.append(messages(from, to)) };
  testAppends(parts);
  testTakeOver(parts);
  testDeadLetters(parts);
}

interface Parts {
  readonly drivers: Drivers;
  readonly append: (from: number, to: number) => Promise<void>;
}

function testAppends({ drivers, append }: Parts): void {
  test('each durable consumer gets each message once, in order, with its id, sender and trace', async () => {
    const alpha = await take(drivers.other, 'alpha', ack);
    const beta = await take(drivers.one, 'beta', ack);
    await append(1, 1_500);
    const all = messages(1, 1_500).map(numberOf);
    await vi.waitFor(() => expect([alpha.numbers(), beta.numbers()]).toEqual([all, all]), takeOver);
    const { id, sender, traceparent: trace, earlier } = alpha.deliveries[0] as Delivery;
    expect({ id, sender, trace, earlier }).toEqual({ id: 'tests:1', sender: 'tests', trace: traceparent, earlier: 0 });
  });

  test('subscribers get the messages as hints', async () => {
    const heard: number[] = [];
    await drivers.other.subscribe(subject, (payload) => void heard.push(numberOf({ payload })));
    await append(1, 20);
    await vi.waitFor(() => expect(heard).toEqual(messages(1, 20).map(numberOf)));
  });

  test('messages wait for a consumer that comes later, and for the publisher that comes later', async () => {
    await append(1, 3);
    const alpha = await take(drivers.other, 'alpha', ack);
    await vi.waitFor(() => expect(alpha.numbers()).toEqual([1, 2, 3]), takeOver);
    const unknown = await drivers.other.consume(
      { subject: 'agentmesh.later.v1.done', durable: 'alpha' },
      { accept: keep },
    );
    await unknown();
  });

  test('messages of 256 KiB are stored, larger ones are refused', async () => {
    const alpha = await take(drivers.other, 'alpha', ack);
    const stream = await drivers.one.openStream(plan);
    const sized = (bytes: number) => [{ ...messageOf(1), payload: new Uint8Array(bytes).fill(7) }];
    await stream.append(sized(256 * 1024));
    await vi.waitFor(
      () => expect(alpha.deliveries.map(({ payload }) => payload.byteLength)).toEqual([256 * 1024]),
      takeOver,
    );
    const refused = { code: 'invalid_argument', reason: 'bus_payload_too_large' };
    await expect(stream.append(sized(256 * 1024 + 1))).rejects.toMatchObject(refused);
  });

  test('messages are delivered after connections were lost', async () => {
    const alpha = await take(drivers.other, 'alpha', ack);
    await append(1, 2);
    await vi.waitFor(() => expect(alpha.numbers()).toEqual([1, 2]), takeOver);
    await drivers.bench.cutConnections();
    await vi.waitFor(() => append(3, 4), takeOver);
    await vi.waitFor(() => expect(new Set(alpha.numbers())).toEqual(new Set([1, 2, 3, 4])), takeOver);
  });
}

function testTakeOver({ drivers, append }: Parts): void {
  test('one process gets the messages, and another one takes over when it has left', async () => {
    const one = await take(drivers.one, 'alpha', ack);
    const other = await take(drivers.other, 'alpha', ack);
    await append(1, 50);
    const all = messages(1, 50).map(numberOf);
    await vi.waitFor(() => expect([...one.numbers(), ...other.numbers()]).toEqual(all), takeOver);
    const [holder, idle] = one.deliveries.length > 0 ? [one, other] : [other, one];
    await holder.stop();
    await append(51, 60);
    await vi.waitFor(() => expect(idle.numbers()).toEqual(messages(51, 60).map(numberOf)), takeOver);
  });

  test('messages that a process had in hand are delivered again, in order and before later ones', async () => {
    const short = await drivers.bench.open();
    const dead = await take(short, 'alpha', (delivery) => {
      void delivery.begin(() => true);
      if (numberOf(delivery) <= 3) delivery.ack();
    });
    await append(1, 10);
    await vi.waitFor(() => expect(dead.numbers()).toHaveLength(10), takeOver);
    const heir = await take(drivers.other, 'alpha', ack);
    await dead.stop();
    await short[Symbol.asyncDispose]();
    await append(11, 12);
    await vi.waitFor(() => expect(heir.numbers()).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12]), takeOver);
    expect(heir.deliveries.map(({ earlier }) => earlier > 0)).toEqual(heir.numbers().map((number) => number <= 10));
  });

  test('acknowledged messages are not delivered to the next process', async () => {
    const first = await take(drivers.one, 'alpha', ack);
    await append(1, 100);
    await vi.waitFor(() => expect(first.numbers()).toHaveLength(100), takeOver);
    await first.stop();
    const second = await take(drivers.other, 'alpha', ack);
    await append(101, 101);
    await vi.waitFor(() => expect(second.numbers()).toEqual([101]), takeOver);
  });
}

function testDeadLetters({ drivers, append }: Parts): void {
  test('a buried message does not come again until it is replayed, and then only to its consumer', async () => {
    let isBroken = true;
    const buried: Promise<void>[] = [];
    const alpha = await take(drivers.other, 'alpha', (delivery) => {
      if (isBroken && numberOf(delivery) === 2) buried.push(delivery.bury('it is broken'));
      else delivery.ack();
    });
    const beta = await take(drivers.other, 'beta', ack);
    await append(1, 3);
    await vi.waitFor(
      () =>
        expect([alpha.numbers(), beta.numbers()]).toEqual([
          [1, 2, 3],
          [1, 2, 3],
        ]),
      takeOver,
    );
    await Promise.all(buried);
    isBroken = false;
    const dead = (durable: string) => drivers.one.deadLetters({ subject, durable });
    expect([await dead('alpha'), await dead('beta'), await dead('nobody')]).toEqual([1, 0, 0]);
    expect(await drivers.one.replay({ subject, durable: 'beta' })).toBe(0);
    expect(await drivers.one.replay({ subject, durable: 'alpha' })).toBe(1);
    await vi.waitFor(() => expect(alpha.numbers()).toEqual([1, 2, 3, 2]), takeOver);
    expect(alpha.deliveries[3]).toMatchObject({ id: 'tests:2', sender: 'tests', traceparent });
    expect(beta.numbers()).toEqual([1, 2, 3]);
    await vi.waitFor(async () => expect(await drivers.one.replay({ subject, durable: 'alpha' })).toBe(0), takeOver);
    expect(await dead('alpha')).toBe(0);
  });
}

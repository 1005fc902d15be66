import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BusDriver, Delivery, Stream } from '../driver/index.ts';
import { findNatsServer, startNats, type TestNats } from '../testing/index.ts';
import { connectNats } from './connect-nats.ts';
import { createNatsDriver } from './create-nats-driver.ts';

const server = await findNatsServer();
const log = pino({ level: 'silent' });
const subject = 'agentmesh.tests.v1.thing_done';
const name = 'agentmesh-tests';
const plan = { service: 'tests', topics: [{ subject, durables: ['alpha', 'beta'] }] };

let resources: AsyncDisposableStack;
let nats: TestNats;
let driver: BusDriver & AsyncDisposable;
let stream: Stream;
let manager: JetStreamManager;

const optionsOf = ({ url }: TestNats) => ({
  servers: [url],
  inboxPrefix: '_INBOX.tests',
  name: 'tests',
  log,
  ackWaitMs: 3_000,
});

beforeEach(async () => {
  resources = new AsyncDisposableStack();
  nats = resources.use(await startNats({ server: server ?? '' }));
  driver = resources.use(await createNatsDriver(optionsOf(nats)));
  stream = await driver.openStream(plan);
  const administrator = await connectNats(optionsOf(nats));
  resources.defer(() => administrator.close());
  manager = await jetstreamManager(administrator);
});
afterEach(() => resources.disposeAsync());

const append = (numbers: readonly number[], payload = new Uint8Array(1)) =>
  stream.append(numbers.map((number) => ({ id: `tests:${number}`, subject, sender: 'tests', payload })));

/** Takes messages of a durable consumer, and returns the numbers of those that have come. One that was not acknowledged within three seconds comes again. */
async function take(durable: string): Promise<number[]> {
  const numbers: number[] = [];
  const accept = (delivery: Delivery): void => {
    const number = Number(delivery.id.split(':')[1]);
    if (!numbers.includes(number)) numbers.push(number);
    delivery.ack();
  };
  resources.defer(await driver.consume({ subject, durable }, { accept }));
  return numbers;
}

describe.skipIf(server === undefined)('a stream', () => {
  test('that is deleted while nothing is appended comes again, with the messages of the last minutes', async () => {
    await append([1, 2]);
    await manager.streams.delete(name);
    const alpha = await take('alpha');
    await expect.poll(() => alpha).toEqual([1, 2]);
    await append([3]);
    await expect.poll(() => alpha).toEqual([1, 2, 3]);
  });

  test('that is lost with the store of the server comes again in order, although nothing is appended', async () => {
    await append([1, 2, 3]);
    await nats.kill();
    await nats.wipe();
    await nats.start();
    const alpha = await take('alpha');
    await expect.poll(() => alpha).toEqual([1, 2, 3]);
  });

  test('whose consumer is deleted gets it again, and the other consumer misses nothing', async () => {
    const [alpha, beta] = [await take('alpha'), await take('beta')];
    await append([1]);
    await expect.poll(() => [alpha, beta]).toEqual([[1], [1]]);
    await manager.consumers.delete(name, 'alpha-thing_done');
    const names = async () => (await manager.consumers.list(name).next()).map(({ name: consumer }) => consumer);
    await expect.poll(names).toContain('alpha-thing_done');
    await append([2]);
    await expect
      .poll(() => [alpha, beta])
      .toEqual([
        [1, 2],
        [1, 2],
      ]);
  });

  test('that is full loses its oldest messages, and only for the consumer that does not take them', async () => {
    await manager.streams.update(name, { max_bytes: 64 * 1024 });
    const beta = await take('beta');
    const numbers = Array.from({ length: 40 }, (_, number) => number);
    for (const number of numbers) {
      await append([number], new Uint8Array(4 * 1024));
      await expect.poll(() => beta.at(-1)).toBe(number);
    }
    expect(beta).toEqual(numbers);
    const alpha = await take('alpha');
    await expect.poll(() => alpha.at(-1)).toBe(39);
    expect(alpha.length).toBeGreaterThan(5);
    expect(alpha).toEqual(numbers.slice(-alpha.length));
  });

  test('for which the server has no room is refused with the reason, and nothing is taken for stored', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'nats-small-'));
    resources.defer(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'server.conf'), 'jetstream { max_file_store: 1MB }');
    const small = resources.use(await startNats({ server: server ?? '', config: join(folder, 'server.conf') }));
    stream = await resources.use(await createNatsDriver(optionsOf(small))).openStream(plan);
    const reason = expect.objectContaining({ message: expect.stringMatching(/insufficient storage/) }) as unknown;
    await expect(append([1])).rejects.toMatchObject({ reason: 'bus_unavailable', cause: reason });
  });
});

describe.skipIf(server === undefined)('a durable consumer of an earlier release', () => {
  /** The stream of the next release, which has another topic and consumer, and no beta. */
  const next = {
    service: 'tests',
    topics: [
      { subject, durables: ['alpha'], former: ['beta'] },
      { subject: 'agentmesh.tests.v1.other_done', durables: ['gamma'] },
    ],
  };
  const openNext = async (retireAfterMs?: number) =>
    resources.use(await createNatsDriver({ ...optionsOf(nats), retireAfterMs })).openStream(next);
  const infoOf = (consumer: string) => manager.consumers.info(name, consumer);
  const one = (id: number, on = subject) => [
    { id: `tests:${id}`, subject: on, sender: 'tests', payload: new Uint8Array(1) },
  ];

  test('gets the messages of both releases while a process asks for them', async () => {
    const beta = await take('beta');
    await append([1]);
    const later = await openNext();
    await later.append(one(2));
    await expect.poll(() => beta).toEqual([1, 2]);
    for (const consumer of ['beta-thing_done', 'beta-thing_done-dead'])
      expect((await infoOf(consumer)).config.inactive_threshold).toBe(24 * 3_600 * 1e9);
    expect((await infoOf('alpha-thing_done')).config.inactive_threshold ?? 0).toBe(0);
  });

  test('is removed when nobody asks, and keeps no more messages', async () => {
    await append([1]);
    await driver[Symbol.asyncDispose]();
    const later = await openNext(1_000);
    const names = async () => (await manager.consumers.list(name).next()).map(({ name: consumer }) => consumer);
    await expect.poll(async () => (await names()).filter((consumer) => consumer.startsWith('beta'))).toEqual([]);
    await later.append(one(2));
    expect((await names()).length).toBe(4);
  });

  test('is kept when a publisher of that release comes back', async () => {
    const later = await createNatsDriver(optionsOf(nats));
    await later.openStream(next);
    await later[Symbol.asyncDispose]();
    expect((await infoOf('beta-thing_done')).config.inactive_threshold).toBeGreaterThan(0);
    await resources.use(await createNatsDriver(optionsOf(nats))).openStream(plan);
    expect((await infoOf('beta-thing_done')).config.inactive_threshold ?? 0).toBe(0);
  });

  test('has a publisher that takes no subject of the next release from their stream', async () => {
    const later = await openNext();
    await resources.use(await createNatsDriver(optionsOf(nats))).openStream(plan);
    await later.append(one(2, 'agentmesh.tests.v1.other_done'));
    expect((await infoOf('gamma-other_done')).num_pending).toBe(1);
  });
});

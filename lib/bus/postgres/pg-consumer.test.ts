import type pg from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPool, rowTypes } from '../../pg/index.ts';
import { testDatabaseUrl } from '../../pg/testing/index.ts';
import { Consumption } from '../consume/index.ts';
import type { Sink, Stream } from '../driver/index.ts';
import { createPgDriver } from './create-pg-driver.ts';
import { PgConsumer } from './pg-consumer.ts';
import { type PgDurable, PgDurables } from './pg-durable.ts';

const log = pino({ level: 'silent' });
const name = { subject: 'agentmesh.tests.v1.thing_done', durable: 'alpha' };
let opened: AsyncDisposableStack;
let pool: pg.Pool;
let stream: Stream;

beforeEach(async () => {
  opened = new AsyncDisposableStack();
  const { url } = opened.use(await testDatabaseUrl());
  const driver = opened.use(await createPgDriver({ url, log }));
  pool = opened.adopt(
    createPool({
      connectionString: url,
      types: rowTypes,
      max: 4,
      connectionTimeoutMillis: 10_000,
      onLost: () => undefined,
    }),
    (one) => one.end(),
  );
  stream = await driver.openStream({ service: 'tests', topics: [{ subject: name.subject, durables: [name.durable] }] });
});
afterEach(() => opened.disposeAsync());

const append = (...ids: readonly string[]) =>
  stream.append(
    ids.map((id) => ({ id, subject: name.subject, sender: 'tests', payload: new TextEncoder().encode(id) })),
  );

/** The statements of another process. */
function durableOfProcess(): PgDurable {
  return new PgDurables(pool, { query: async () => undefined }).durable(name);
}

/** A process that gets the messages. `accept` says what becomes of each. */
function consumerWith(store: PgDurable, accept: Sink['accept']): PgConsumer {
  const consumer = new PgConsumer({ name, store, log, sink: { accept } });
  opened.defer(() => consumer.close());
  return consumer;
}

test('a message that a process had in hand reaches the next one, also when the next one cannot read it at first', async () => {
  await append('a1', 'a2');
  const had: string[] = [];
  const first = consumerWith(durableOfProcess(), ({ id }) => void had.push(id));
  await expect.poll(() => had).toEqual(['a1', 'a2']);
  await first.close();
  const store = durableOfProcess();
  const read = store.readOpen.bind(store);
  let failures = 1;
  store.readOpen = async (seqs) => {
    failures -= 1;
    if (failures >= 0) throw new Error('the connection is lost');
    return read(seqs);
  };
  const got: string[] = [];
  consumerWith(store, (delivery) => {
    got.push(delivery.id);
    delivery.ack();
  });
  await expect.poll(() => got, { timeout: 5_000 }).toEqual(['a1', 'a2']);
});

test('a handler that waits until its count is stored goes on when another process has taken the messages over', async () => {
  await append('a1');
  const store = durableOfProcess();
  store.save = () => Promise.resolve(undefined);
  const begun = Promise.withResolvers<void>();
  consumerWith(store, (delivery) => void delivery.begin(() => true)?.then(begun.resolve));
  await begun.promise;
});

/** Handles messages as a service does, each with a key of its own unless `key` is set. */
function handleWith(handle: (id: string) => Promise<void>, key?: string): Sink['accept'] {
  const decode = (payload: Uint8Array) => ({ id: new TextDecoder().decode(payload) });
  const idOf = (message: object) => (message as { id: string }).id;
  const keyOf = (message: object) => key ?? idOf(message);
  const consumption = new Consumption({ name, log, decode, keyOf, handle: (message) => handle(idOf(message)) });
  return (delivery) => consumption.accept(delivery);
}

const never = (): Promise<void> => new Promise(() => undefined);
const idsOf = (count: number) => Array.from({ length: count }, (_, at) => `m${at + 1}`);

async function deadLetters(): Promise<string[]> {
  return (await pool.query<{ id: string }>('select id from bus.dead_letters order by seq')).rows.map(({ id }) => id);
}

test('a message whose handler was never called is tried, however many processes had it in hand', async () => {
  const ids = idsOf(40);
  await append(...ids);
  for (let process = 0; process < 6; process += 1) {
    const begun: string[] = [];
    const consumer = consumerWith(
      durableOfProcess(),
      handleWith((id) => {
        begun.push(id);
        return never();
      }, 'one lane'),
    );
    await expect.poll(() => begun, { timeout: 5_000 }).toEqual(['m1']);
    await consumer.close();
  }
  const handled: string[] = [];
  consumerWith(
    durableOfProcess(),
    handleWith(async (id) => void handled.push(id), 'one lane'),
  );
  await expect.poll(() => handled, { timeout: 5_000 }).toEqual(ids.slice(1));
  expect(await deadLetters()).toEqual(['m1']);
});

/** A process that ends at once when it handles the message: nothing that it does afterwards is stored. Resolves when it has ended. */
async function processKilledBy(poison: string, handled: Set<string>): Promise<void> {
  const killed = Promise.withResolvers<void>();
  const store = durableOfProcess();
  let isDead = false;
  const mortal = new Proxy(store, {
    get: (_, key: keyof PgDurable) => (isDead ? () => Promise.reject(new Error('dead')) : store[key].bind(store)),
  });
  const handle = async (id: string): Promise<void> => {
    if (isDead) return never();
    handled.add(id);
    if (id !== poison) return;
    isDead = true;
    killed.resolve();
    await never();
  };
  const consumer = consumerWith(mortal, handleWith(handle));
  await killed.promise;
  await consumer.close();
  await pool.query('update bus.durables set lease_until = now()');
}

test('a message that ends its process at once becomes a dead letter after its tries, and takes no other along', async () => {
  const ids = idsOf(40);
  await append(...ids);
  const handled = new Set<string>();
  for (let process = 0; process < 6; process += 1) await processKilledBy('m5', handled);
  consumerWith(
    durableOfProcess(),
    handleWith(async (id) => {
      expect(id).not.toBe('m5');
      handled.add(id);
    }),
  );
  await expect.poll(() => [...handled].toSorted(), { timeout: 5_000 }).toEqual(ids.toSorted());
  await expect.poll(deadLetters).toEqual(['m5']);
}, 30_000);

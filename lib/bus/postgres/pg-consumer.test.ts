import pg from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { rowTypes } from '../../pg/index.ts';
import { testDatabaseUrl } from '../../pg/testing/index.ts';
import type { Delivery, Stream } from '../driver/index.ts';
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
  pool = opened.adopt(new pg.Pool({ connectionString: url, types: rowTypes }), (one) => one.end());
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
function consumerWith(store: PgDurable, accept: (delivery: Delivery) => void): PgConsumer {
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

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AccountDeletedSchema, AccountErasedSchema } from '@agentmesh/proto/auth/v1';
import { create, toBinary } from '@bufbuild/protobuf';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Database, openDatabase } from '../pg/index.ts';
import { testDatabaseUrl } from '../pg/testing/index.ts';
import { MeshError } from '../rpc/index.ts';
import { requestContext } from '../telemetry/index.ts';
import type { Bus } from './bus.ts';
import { createPgBus, type OutboxRelay, startOutboxRelay, subjectOf, writeOutbox } from './index.ts';

const log = pino({ level: 'silent' });
const subject = subjectOf(AccountDeletedSchema);
const outboxTable = `create table outbox(
  id bigint generated always as identity primary key,
  subject text not null,
  payload bytea not null,
  traceparent text,
  created_at timestamptz not null default now()
)`;

let opened: AsyncDisposableStack;
let db: Database;
let bus: Bus;
let heard: string[];

beforeEach(async () => {
  opened = new AsyncDisposableStack();
  const { url } = opened.use(await testDatabaseUrl());
  const folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  opened.defer(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, '0001-create-outbox.sql'), outboxTable);
  db = opened.use(await openDatabase({ service: 'alpha', url, poolSize: 4, migrations: pathToFileURL(folder) }, log));
  bus = opened.use(await createPgBus({ url, log, service: 'auth' }));
  heard = [];
  await bus.subscribe(AccountDeletedSchema, ({ accountId }) => void heard.push(accountId));
});

afterEach(() => opened.disposeAsync());

function startRelay(over = bus): OutboxRelay {
  return opened.use(
    startOutboxRelay({ db, bus: over, topics: [AccountDeletedSchema], log, draining: new AbortController().signal }),
  );
}

async function commit(...accountIds: string[]): Promise<void> {
  const messages = accountIds.map((accountId) => ({ accountId }));
  await db.transaction((tx) => writeOutbox(tx, AccountDeletedSchema, messages));
}

async function waiting(): Promise<number> {
  return (await db.query({ text: 'select from outbox' })).length;
}

test('committed rows are published in order, once, and deleted from the table', async () => {
  const relay = startRelay();
  const payloads = Array.from({ length: 1_100 }, (_, i) => `${i}`);
  await commit(...payloads);
  relay.wake();
  await vi.waitFor(() => expect(heard).toEqual(payloads));
  await relay.settle();
  expect(await waiting()).toBe(0);
});

test('rows that are rolled back are not published', async () => {
  const relay = startRelay();
  const work = db.transaction(async (tx) => {
    await writeOutbox(tx, AccountDeletedSchema, [{ accountId: 'x' }]);
    throw new Error('changed my mind');
  });
  await expect(work).rejects.toThrow('changed my mind');
  await commit('kept');
  await relay.settle();
  await vi.waitFor(() => expect(heard).toEqual(['kept']));
});

test('a relay that starts publishes the rows of an ended one without a wake', async () => {
  await commit('left');
  startRelay();
  await vi.waitFor(() => expect(heard).toEqual(['left']));
});

test('rows that no wake announced are found by polling', async () => {
  const relay = startRelay();
  await relay.settle();
  await commit('unannounced');
  await vi.waitFor(() => expect(heard).toEqual(['unannounced']), { interval: 100 });
});

test('only one of two relays publishes at a time, in order, each row once', async () => {
  const relays = [startRelay(), startRelay()];
  const payloads = Array.from({ length: 40 }, (_, i) => `${i}`);
  for (const payload of payloads) {
    await commit(payload);
    for (const relay of relays) relay.wake();
  }
  await Promise.all(relays.map((relay) => relay.settle()));
  await vi.waitFor(() => expect(heard).toEqual(payloads));
});

test('rows wait while the bus is down', async () => {
  let down = true;
  const stream = await bus.openStream([AccountDeletedSchema]);
  const append: typeof stream.append = async (messages) => {
    if (down) throw new MeshError('unavailable', 'bus_unavailable', 'down');
    await stream.append(messages);
  };
  const relay = startRelay({ ...bus, openStream: async () => ({ append }) });
  await commit('patient');
  const settled = relay.settle();
  await expect.poll(waiting).toBe(1);
  down = false;
  await settled;
  await vi.waitFor(() => expect(heard).toEqual(['patient']));
});

test('a row that the bus can never carry does not stop the others', async () => {
  const relay = startRelay();
  await db.query({ text: 'insert into outbox(subject, payload) values ($1, $2)' }, [
    subject,
    Buffer.alloc(256 * 1024 + 1),
  ]);
  await commit('after it');
  await relay.settle();
  await vi.waitFor(() => expect(heard).toEqual(['after it']));
  expect(await waiting()).toBe(0);
});

/** Adds a row of a topic that the relay does not know, as a replica of another release does. */
async function commitForeign(agoSeconds: number): Promise<void> {
  await db.query(
    { text: 'insert into outbox(subject, payload, created_at) values ($1, $2, now() - make_interval(secs => $3))' },
    [
      subjectOf(AccountErasedSchema),
      toBinary(AccountErasedSchema, create(AccountErasedSchema, { service: 'keys' })),
      agoSeconds,
    ],
  );
}

test('a row of a topic that another release keeps is left to its replicas, and does not stop the others', async () => {
  await commitForeign(0);
  await commit('after it');
  await startRelay().settle();
  await vi.waitFor(() => expect(heard).toEqual(['after it']));
  expect(await waiting()).toBe(1);
});

test('a row of an unknown topic for which nobody has come in five minutes is published as a hint', async () => {
  const hints: string[] = [];
  await bus.subscribe(AccountErasedSchema, ({ service }) => void hints.push(service));
  await commitForeign(301);
  await startRelay().settle();
  await vi.waitFor(() => expect(hints).toEqual(['keys']));
  expect(await waiting()).toBe(0);
});

test('a consumer gets the id of the row, the sender and the trace of the request that wrote it', async () => {
  const relay = startRelay();
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const got: unknown[] = [];
  const stop = await bus.consume(AccountDeletedSchema, 'keys', ({ accountId }, { id, sender, traceparent: trace }) => {
    got.push([accountId, id, sender, trace, requestContext.getStore()?.traceparent]);
  });
  opened.defer(stop);
  await requestContext.run({ requestId: 'r', traceparent }, () => commit('traced'));
  relay.wake();
  await vi.waitFor(() => expect(got).toEqual([['traced', 'auth:1', 'auth', traceparent, traceparent]]));
});

test('disposing publishes the remaining rows', async () => {
  const relay = startRelay();
  await relay.settle();
  await commit('last');
  await relay[Symbol.asyncDispose]();
  await vi.waitFor(() => expect(heard).toEqual(['last']));
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { AwaitedRunEndedSchema } from '@agentmesh/proto/sessions/v1';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../pg/index.ts';
import { testDatabaseUrl } from '../../../pg/testing/index.ts';
import { createBus, type OutboxRelay, startOutboxRelay, writeOutbox } from '../../index.ts';
import { createNatsDriver } from '../../nats/index.ts';
import { createDisturbances, findNatsServer, startNats, type TestNats } from '../../testing/index.ts';

const server = await findNatsServer();
const isFull = process.env.VERIFY === 'full';
const disturbances = isFull ? 100 : 5;
const seed = Number(process.env.VERIFY_SEED ?? 1);
const log = pino({ level: 'silent' });
const sessions = 20;

const tables = `
  create table outbox(
    id bigint generated always as identity primary key,
    subject text not null,
    payload bytea not null,
    traceparent text,
    created_at timestamptz not null default now()
  );
  create table effects(
    place bigint generated always as identity,
    message text primary key,
    session_pk bigint not null,
    number int not null
  );`;

interface Bench {
  readonly nats: TestNats;
  readonly db: Database;
  readonly relay: OutboxRelay;
}

async function openBench(resources: AsyncDisposableStack): Promise<Bench> {
  const nats = resources.use(await startNats({ server: server ?? '' }));
  const { url } = resources.use(await testDatabaseUrl());
  const folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  resources.defer(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, '0001-create.sql'), tables);
  const options = { service: 'sessions', url, poolSize: 6, migrations: pathToFileURL(folder) };
  const db = resources.use(await openDatabase(options, log));
  const open = async (service: string) => {
    // Longer than the two seconds between extensions: a message that waits for its turn would come again and again, and become a dead letter.
    const own = { servers: [nats.url], inboxPrefix: `_INBOX.${service}`, name: service, log, ackWaitMs: 4_000 };
    return createBus({ driver: resources.use(await createNatsDriver(own)), service, log, pausesMs: [50, 50, 50, 50] });
  };
  for (const replica of [await open('webhooks'), await open('webhooks')])
    resources.defer(await replica.consume(AwaitedRunEndedSchema, 'webhooks', (ended, { id }) => act(db, id, ended)));
  const bus = await open('sessions');
  const { signal } = new AbortController();
  const relay = resources.use(startOutboxRelay({ db, bus, topics: [AwaitedRunEndedSchema], log, draining: signal }));
  return { nats, db, relay };
}

const ACT = {
  name: 'act',
  text: `insert into effects (message, session_pk, number) values ($1, $2, $3) on conflict do nothing`,
};

/** The handler fails now and then. */
async function act(db: Database, id: string, ended: { sessionPk: bigint; invocationId: string }): Promise<void> {
  if (Math.random() < 0.01) throw new Error('a handler that fails now and then');
  await db.query(ACT, [id, ended.sessionPk, Number(ended.invocationId)]);
}

/** Commits run ends of many sessions until `signal` aborts, each session's in the order of its numbers. Returns how many. */
async function load({ db, relay }: Bench, signal: AbortSignal): Promise<number> {
  let count = 0;
  for (let number = 0; !signal.aborted; number += 1) {
    const ended = Array.from({ length: sessions }, (_, pk) => ({ sessionPk: BigInt(pk), invocationId: `${number}` }));
    await db.transaction((tx) => writeOutbox(tx, AwaitedRunEndedSchema, ended));
    count += ended.length;
    relay.wake();
    await sleep(20);
  }
  return count;
}

const COUNT = { text: 'select count(*)::int as effects, (select count(*)::int from outbox) as waiting from effects' };
const DISORDER = {
  text: `select count(*)::int as disorder from (
      select number < lag(number) over (partition by session_pk order by place) as wrong from effects
    ) e where wrong`,
};

describe.skipIf(server === undefined)('while a NATS server is killed, frozen, wiped and restarted under load', () => {
  test(`every message is acted on, once, in the order of its session (${disturbances} disturbances)`, {
    timeout: isFull ? 900_000 : 120_000,
  }, async () => {
    await using resources = new AsyncDisposableStack();
    const bench = await openBench(resources);
    const stopping = new AbortController();
    const loaded = load(bench, stopping.signal);
    const disturb = createDisturbances(bench.nats, seed);
    for (let i = 0; i < disturbances; i += 1) {
      await sleep(200 + Math.random() * 400);
      await disturb();
    }
    stopping.abort();
    const committed = await loaded;
    const progress = async () => (await bench.db.query(COUNT))[0];
    await expect.poll(progress, { timeout: 60_000, interval: 200 }).toEqual({ effects: committed, waiting: 0 });
    expect(await bench.db.query(DISORDER)).toEqual([{ disorder: 0 }]);
  });
});

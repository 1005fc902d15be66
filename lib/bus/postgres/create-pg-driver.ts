import type pg from 'pg';
import { createPool, limitSettings, rowTypes, withSessionSettings } from '../../pg/index.ts';
import { withinDeadline } from '../../wait/index.ts';
import { busUnavailable, type BusDriver, checkPayload, type DurableName, type Sink } from '../driver/index.ts';
import { prepareBusSchema } from './bus-schema.ts';
import { PgConsumer } from './pg-consumer.ts';
import type { PgDriverOptions } from './pg-driver-options.ts';
import { PgDurables } from './pg-durable.ts';
import { PgListener } from './pg-listener.ts';
import { channelOf, NotificationReader } from './pg-notification.ts';
import { PgPublisher } from './pg-publisher.ts';
import { PgStream } from './pg-stream.ts';
import { Subscriptions } from './subscriptions.ts';

const PING_TIMEOUT_MS = 2_000;
const BEAT_MS = 9_000;
const WAIT_TIMEOUT_MS = 10_000;

/**
 * A driver over PostgreSQL: LISTEN and NOTIFY for hints, with one connection for each direction, and tables in the schema `bus` for messages that
 * must be acted on, with two connections. A lost connection is opened again; until
 * then `publish` throws `unavailable` (reason `bus_unavailable`), and hints of others are missed.
 * Disposing it sends what was published, then ends every subscription. Throws `unavailable` when PostgreSQL cannot be reached.
 */
export async function createPgDriver(options: PgDriverOptions): Promise<BusDriver & AsyncDisposable> {
  const { log } = options;
  const subscriptions = new Subscriptions(log);
  const listener = await openListener(options, subscriptions);
  const publisher = new PgPublisher(options);
  const pool = openPool(options);
  const durables = new PgDurables(pool, listener);
  const consumers = new Set<PgConsumer>();
  const beat = startBeat(consumers);
  const subscribe: BusDriver['subscribe'] = async (subject, handler) => {
    const channel = channelOf(subject);
    const subscription = subscriptions.add(channel, handler);
    await listener.listen(channel);
    return async () => {
      if (subscriptions.remove(subscription) === 'last') await listener.unlisten(channel);
    };
  };
  return {
    publish: async (subject, payload, origin, options) => {
      checkPayload(subject, payload);
      await publisher.publish(subject, payload, origin, options);
    },
    subscribe,
    openStream: (plan) => PgStream.open({ pool, plan, log }),
    consume: async (name: DurableName, sink: Sink) => {
      const consumer = new PgConsumer({ name, sink, log, store: durables.durable(name) });
      consumers.add(consumer);
      const unsubscribe = await subscribe(name.subject, () => consumer.wake());
      return async () => {
        await unsubscribe();
        consumers.delete(consumer);
        await consumer.close();
      };
    },
    deadLetters: (name) => durables.durable(name).countDead(),
    replay: (name) => durables.durable(name).replay(),
    ping: async () => {
      await withinDeadline(Promise.all([publisher.ping(), listener.ping()]), PING_TIMEOUT_MS, late);
    },
    [Symbol.asyncDispose]: async () => {
      clearInterval(beat);
      await publisher.close();
      await listener.close();
      await pool.end();
    },
  };
}

/** Lets all consumers look at the same moment, so that one statement serves them. */
function startBeat(consumers: ReadonlySet<PgConsumer>): NodeJS.Timeout {
  const wakeAll = (): void => consumers.forEach((consumer) => consumer.wake());
  return setInterval(wakeAll, BEAT_MS * (0.8 + Math.random() * 0.4)).unref();
}

async function openListener(options: PgDriverOptions, subscriptions: Subscriptions): Promise<PgListener> {
  const reader = new NotificationReader();
  const onNotification = (channel: string, text: string): void => {
    for (const { payload, origin } of reader.read(text)) subscriptions.deliver(channel, payload, origin);
  };
  const url = options.directUrl ?? options.url;
  const listener = new PgListener({ ...options, url, onNotification });
  await prepareBusSchema(url);
  await listener.open().catch((cause: unknown) => {
    throw busUnavailable(cause);
  });
  return listener;
}

/** Connections for the tables of the bus. They are opened when they are needed. */
function openPool({ url, directUrl, log, statementMs }: PgDriverOptions): pg.Pool {
  const isPooled = directUrl !== undefined;
  return createPool({
    connectionString: withSessionSettings(url, isPooled ? [] : limitSettings(statementMs)),
    isPooled,
    statementMs,
    max: 2,
    connectionTimeoutMillis: WAIT_TIMEOUT_MS,
    types: rowTypes,
    application_name: 'agentmesh bus messages',
    onLost: (err) => log.warn({ err }, 'bus connection for messages lost'),
  });
}

function late(): never {
  throw busUnavailable(undefined, 'The bus does not answer.');
}

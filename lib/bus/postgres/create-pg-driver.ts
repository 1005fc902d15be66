import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { rowTypes } from '../../pg/index.ts';
import { MeshError } from '../../rpc/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import { withinDeadline } from '../../wait/index.ts';
import { type BusDriver, checkPayload, type DurableName, type Sink } from '../driver/index.ts';
import { prepareBusSchema } from './bus-schema.ts';
import { unavailable } from './bus-unavailable.ts';
import { PgConsumer } from './pg-consumer.ts';
import { PgDurable } from './pg-durable.ts';
import { PgListener } from './pg-listener.ts';
import { channelOf, NotificationReader } from './pg-notification.ts';
import { PgPublisher } from './pg-publisher.ts';
import { PgStream } from './pg-stream.ts';
import { Subscriptions } from './subscriptions.ts';

const PING_TIMEOUT_MS = 2_000;
const STATEMENT_TIMEOUT_MS = 10_000;

export interface PgDriverOptions {
  /** postgres:// address. Processes hear each other when they use the same database of the same server. */
  readonly url: string;
  readonly log: Logger;
}

/**
 * A driver over PostgreSQL: LISTEN and NOTIFY for hints, with one connection for each direction, and tables in the schema `bus` for messages that
 * must be acted on, with two connections. A lost connection is opened again; until
 * then `publish` throws `unavailable` (reason `bus_unavailable`), and hints of others are missed.
 * Disposing it sends what was published, then ends every subscription. Throws `unavailable` when PostgreSQL cannot be reached.
 */
export async function createPgDriver({ url, log }: PgDriverOptions): Promise<BusDriver & AsyncDisposable> {
  const subscriptions = new Subscriptions(log);
  const listener = await openListener({ url, log }, subscriptions);
  const publisher = new PgPublisher(url, log);
  const pool = openPool(url, log);
  const holder = randomUUID();
  const subscribe: BusDriver['subscribe'] = async (subject, handler) => {
    const channel = channelOf(subject);
    const subscription = subscriptions.add(channel, handler);
    await listener.listen(channel);
    return async () => {
      if (subscriptions.remove(subscription) === 'last') await listener.unlisten(channel);
    };
  };
  return {
    publish: async (subject, payload, origin) => {
      checkPayload(subject, payload);
      await publisher.publish(subject, payload, origin);
    },
    subscribe,
    openStream: (plan) => PgStream.open(pool, plan),
    consume: async (name: DurableName, sink: Sink) => {
      const consumer = new PgConsumer({ name, sink, log, store: new PgDurable(pool, name, holder) });
      const unsubscribe = await subscribe(name.subject, () => consumer.wake());
      return async () => {
        await unsubscribe();
        await consumer.close();
      };
    },
    replay: (name) => new PgDurable(pool, name, holder).replay(),
    ping: async () => {
      await withinDeadline(Promise.all([publisher.ping(), listener.ping()]), PING_TIMEOUT_MS, late);
    },
    [Symbol.asyncDispose]: async () => {
      await publisher.close();
      await listener.close();
      await pool.end();
    },
  };
}

async function openListener({ url, log }: PgDriverOptions, subscriptions: Subscriptions): Promise<PgListener> {
  const reader = new NotificationReader();
  const onNotification = (channel: string, text: string): void => {
    const notified = reader.read(text);
    if (notified !== undefined) subscriptions.deliver(channel, notified.payload, notified.origin);
  };
  const listener = new PgListener({ url, log, onNotification });
  await prepareBusSchema(url);
  await listener.open().catch((cause: unknown) => {
    throw unavailable(cause);
  });
  return listener;
}

/** Connections for the tables of the bus. They are opened when they are needed. */
function openPool(url: string, log: Logger): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: 2,
    connectionTimeoutMillis: STATEMENT_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
    types: rowTypes,
    application_name: 'agentmesh bus messages',
  });
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('error', (err) => log.warn({ err }, 'bus connection for messages lost'));
  return pool;
}

function late(): never {
  throw new MeshError('unavailable', 'bus_unavailable', 'The bus does not answer.');
}

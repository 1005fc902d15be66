import { withinDeadline } from '../../wait/index.ts';
import { busUnavailable, type BusDriver, checkPayload } from '../driver/index.ts';
import { connectNats, type NatsOptions } from './connect-nats.ts';
import { headersOf, originOf } from './headers.ts';
import { Link } from './link.ts';
import { NatsConsumer } from './nats-consumer.ts';
import { NatsStream } from './nats-stream.ts';
import { countDeadLetters, replayDeadLetters } from './replay-dead-letters.ts';

const PING_TIMEOUT_MS = 2_000;
const ACK_WAIT_MS = 10_000;

/**
 * A driver over NATS: core subjects for hints, JetStream for messages that must be acted on. While the connection is lost `publish` throws
 * `unavailable` (reason `bus_unavailable`), and hints of others are missed. Disposing it sends what was published. Throws `unavailable` when no server
 * can be reached for 30 s.
 */
export async function createNatsDriver(options: NatsOptions): Promise<BusDriver & AsyncDisposable> {
  const { log, inboxPrefix, replicas = 1, ackWaitMs = ACK_WAIT_MS, retireAfterMs } = options;
  const link = new Link(await connectNats(options), log);
  const { connection } = link;
  return {
    publish: async (subject, payload, origin) => {
      checkPayload(subject, payload);
      link.checkUp();
      connection.publish(subject, payload, { headers: headersOf(origin) });
    },
    subscribe: async (subject, handler) => {
      const subscription = connection.subscribe(subject, {
        callback: (error, { data, headers }) => {
          if (error !== null) log.error({ err: error, subject }, 'NATS refused a subscription: see deploy/nats');
          else void call({ subject, log }, () => handler(data, originOf(headers)));
        },
      });
      await link.settle();
      return async () => {
        if (!connection.isClosed()) subscription.unsubscribe();
      };
    },
    openStream: async (plan) => {
      const stream = new NatsStream({ link, plan, replicas, ackWaitMs, retireAfterMs, log });
      await stream.open().catch((err: unknown) => log.warn({ err }, 'the stream cannot be made now: it is made later'));
      return stream;
    },
    consume: async (name, sink) => {
      const consumer = new NatsConsumer({ link, name, sink, log, inboxPrefix, ackWaitMs });
      return () => consumer.close();
    },
    deadLetters: (name) => countDeadLetters(link, name),
    replay: (name) => replayDeadLetters(link, name),
    ping: async () => {
      link.checkUp();
      await withinDeadline(connection.rtt(), PING_TIMEOUT_MS, late).catch((error: unknown) => {
        throw busUnavailable(error);
      });
    },
    [Symbol.asyncDispose]: () => link.close(),
  };
}

interface Called {
  readonly subject: string;
  readonly log: NatsOptions['log'];
}

async function call({ subject, log }: Called, handle: () => void | Promise<void>): Promise<void> {
  try {
    await handle();
  } catch (error) {
    log.error({ err: error, subject }, 'a handler of a hint failed');
  }
}

function late(): never {
  throw busUnavailable(undefined, 'The bus does not answer.');
}

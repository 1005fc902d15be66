import { MeshError } from '../../rpc/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import { withinDeadline } from '../../wait/index.ts';
import { type BusDriver, checkPayload } from '../driver/index.ts';
import { PgListener } from './pg-listener.ts';
import { channelOf, decodeNotification } from './pg-notification.ts';
import { PgPublisher } from './pg-publisher.ts';
import { Subscriptions } from './subscriptions.ts';

const PING_TIMEOUT_MS = 2_000;

export interface PgDriverOptions {
  /** postgres:// address. Processes hear each other when they use the same database of the same server. */
  readonly url: string;
  readonly log: Logger;
}

/**
 * A driver over PostgreSQL's LISTEN and NOTIFY, with one connection for each direction. A lost connection is opened again; until
 * then `publish` throws `unavailable` (reason `bus_unavailable`), and hints of others are missed.
 * Disposing it sends what was published, then ends every subscription. Throws `unavailable` when PostgreSQL cannot be reached.
 */
export async function createPgDriver({ url, log }: PgDriverOptions): Promise<BusDriver & AsyncDisposable> {
  const subscriptions = new Subscriptions(log);
  const listener = new PgListener({
    url,
    log,
    onNotification: (channel, text) => subscriptions.deliver(channel, decodeNotification(text)),
  });
  await listener.open().catch((cause: unknown) => {
    throw new MeshError('unavailable', 'bus_unavailable', 'The bus cannot be reached.', { cause });
  });
  const publisher = new PgPublisher(url, log);
  return {
    publish: async (subject, payload) => {
      checkPayload(subject, payload);
      await publisher.publish(subject, payload);
    },
    subscribe: async (subject, handler) => {
      const channel = channelOf(subject);
      const subscription = subscriptions.add(channel, handler);
      await listener.listen(channel);
      return async () => {
        if (subscriptions.remove(subscription) === 'last') await listener.unlisten(channel);
      };
    },
    ping: async () => {
      await withinDeadline(Promise.all([publisher.ping(), listener.ping()]), PING_TIMEOUT_MS, late);
    },
    [Symbol.asyncDispose]: async () => {
      await publisher.close();
      await listener.close();
    },
  };
}

function late(): never {
  throw new MeshError('unavailable', 'bus_unavailable', 'The bus does not answer.');
}

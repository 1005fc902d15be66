import { setTimeout as sleep } from 'node:timers/promises';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Logger } from '../../telemetry/index.ts';
import { withinDeadline } from '../../wait/index.ts';
import { busUnavailable } from '../driver/index.ts';

const FLUSH_MS = 2_000;
const SETTLE_RETRY_MS = 50;

/** A connection, and whether it is up now. */
export class Link {
  readonly connection: NatsConnection;
  readonly #listeners = new Set<() => void>();
  readonly #watching: Promise<void>;
  #isUp = true;

  constructor(connection: NatsConnection, log: Logger) {
    this.connection = connection;
    this.#watching = this.#watch(log);
  }

  get isUp(): boolean {
    return this.#isUp && !this.connection.isClosed();
  }

  /** Throws `unavailable` while the connection is lost, because the client would keep what is sent in memory, and then drop it. */
  checkUp(): void {
    if (!this.isUp) throw busUnavailable();
  }

  /** Calls `listener` whenever the connection is lost, and whenever it is made again, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Resolves when the server has seen everything that was sent so far, also subscriptions, or the connection is closed. */
  async settle(): Promise<void> {
    while (!this.connection.isClosed()) {
      if (this.#isUp && (await isFlushed(this.connection))) return;
      await sleep(SETTLE_RETRY_MS);
    }
  }

  /** Sends what was published, and closes the connection. */
  async close(): Promise<void> {
    if (this.isUp) await this.connection.drain().catch(() => this.connection.close());
    else await this.connection.close();
    await this.#watching;
  }

  async #watch(log: Logger): Promise<void> {
    for await (const status of this.connection.status()) {
      if (status.type === 'error')
        log.error({ err: status.error }, 'NATS refused what this process does: see deploy/nats');
      if (status.type !== 'disconnect' && status.type !== 'reconnect') continue;
      this.#isUp = status.type === 'reconnect';
      if (this.#isUp) log.info('bus connection made again');
      else log.warn('bus connection lost: hints are missed until it is made again');
      for (const listener of this.#listeners) listener();
    }
  }
}

function isFlushed(connection: NatsConnection): Promise<boolean> {
  const flushed = connection.flush().then(
    () => true,
    () => false,
  );
  return withinDeadline(flushed, FLUSH_MS, () => false);
}

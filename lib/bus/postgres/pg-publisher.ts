import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { createPool, limitSettings, withSessionSettings } from '../../pg/index.ts';
import { busUnavailable, type Origin, type PublishOptions } from '../driver/index.ts';
import type { PgDriverOptions } from './pg-driver-options.ts';
import { channelOf, encodeNotification, joinNotifications } from './pg-notification.ts';

const CONNECT_TIMEOUT_MS = 5_000;
/** Notifications of one statement; bounds its size to some megabytes. */
const BATCH = 500;
/** Pause in milliseconds between statements: on a busy service the hints of many calls then cost one. */
const PACE_MS = 10;
/** The pause in milliseconds while every hint in the queue has `mayWait`. */
const LONG_PACE_MS = 50;
/** Most hints in the queue. */
const MOST_WAITING = 10_000;

const NOTIFY = {
  name: 'notify-bus',
  text: 'select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) as hint(channel, payload)',
};

interface Hint {
  readonly channel: string;
  readonly texts: readonly string[];
  readonly sent: () => void;
  readonly failed: (error: Error) => void;
}

/**
 * Sends hints over one connection: the first at once, those of the next 10 ms or of a statement under way with the next one. Hints with `mayWait`
 * wait for 50 ms, unless one without it comes earlier. When a statement fails, all hints in the queue fail with it: the next statement would wait as long
 * for the same server.
 */
export class PgPublisher {
  readonly #pool: pg.Pool;
  readonly #waiting: Hint[] = [];
  #sending: Promise<void> | undefined;
  /** Makes the keys of notifications unique among all processes. */
  readonly #own = randomUUID().slice(0, 8);
  #count = 0;
  /** Ends the pause of hints that may wait. */
  #hurry: (() => void) | undefined;
  #isUrgent = false;

  constructor({ url, directUrl, log, statementMs }: PgDriverOptions) {
    const isPooled = directUrl !== undefined;
    this.#pool = createPool({
      // A hint is lost with the server anyway, so its transaction need not wait for the disk.
      connectionString: withSessionSettings(
        url,
        isPooled ? [] : ['synchronous_commit=off', ...limitSettings(statementMs)],
      ),
      isPooled,
      statementMs,
      max: 1,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      idleTimeoutMillis: 0,
      application_name: 'agentmesh bus publish',
      onLost: (err) => log.warn({ err }, 'bus connection for publishing lost'),
    });
  }

  publish(
    subject: string,
    payload: Uint8Array,
    origin: Origin,
    { mayWait = false }: PublishOptions = {},
  ): Promise<void> {
    if (this.#waiting.length >= MOST_WAITING) return Promise.reject(busUnavailable(new Error('Too many hints wait.')));
    return new Promise((sent, failed) => {
      this.#count += 1;
      const texts = encodeNotification(`${this.#own}${this.#count.toString(36)}`, payload, origin);
      this.#waiting.push({ channel: channelOf(subject), texts, sent, failed });
      if (!mayWait) this.#beUrgent();
      this.#sending ??= this.#sendAll();
    });
  }

  async ping(): Promise<void> {
    await this.#pool.query('select 1').catch(rethrow);
  }

  /** Sends the waiting hints, then closes. */
  async close(): Promise<void> {
    this.#beUrgent();
    await this.#sending;
    await this.#pool.end();
  }

  async #sendAll(): Promise<void> {
    // Hints that are published in the same tick go with the first statement.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const paced = delay(PACE_MS);
      this.#isUrgent = this.#waiting.length > BATCH;
      await this.#send(this.#waiting.splice(0, BATCH));
      await paced;
      if (!this.#isUrgent) await this.#untilUrgent();
    }
    this.#sending = undefined;
  }

  #beUrgent(): void {
    this.#isUrgent = true;
    this.#hurry?.();
  }

  /** The rest of the long pause, which an urgent hint ends. */
  async #untilUrgent(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#hurry = resolve;
    const timer = setTimeout(resolve, LONG_PACE_MS - PACE_MS);
    await promise;
    clearTimeout(timer);
    this.#hurry = undefined;
  }

  async #send(hints: readonly Hint[]): Promise<void> {
    const notifications = joinNotifications(hints);
    const values = [notifications.map(({ channel }) => channel), notifications.map(({ text }) => text)];
    try {
      await this.#pool.query({ ...NOTIFY, values });
      for (const hint of hints) hint.sent();
    } catch (error) {
      for (const hint of [...hints, ...this.#waiting.splice(0)]) hint.failed(busUnavailable(error));
    }
  }
}

function rethrow(error: unknown): never {
  throw busUnavailable(error);
}

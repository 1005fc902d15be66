import { createInbox, type Msg } from '@nats-io/transport-node';
import { Wake } from '../../wait/index.ts';
import type { Link } from './link.ts';
import { PIN_GROUP, PULL_MS } from './stream-settings.ts';

const BATCH = 500;
const HEARTBEAT_MS = 500;
/** A request of which nothing is heard for this long is given up. */
const SILENCE_MS = 1_500;

const NO_RESPONDERS = 503;
const HEARTBEAT = 100;
const NOT_PINNED = 423;
const TIMED_OUT = 408;

export interface PullOptions {
  readonly link: Link;
  readonly inboxPrefix: string;
  readonly stream: string;
  readonly consumer: string;
  readonly onMessage: (message: Msg) => void;
  /** Whether the consumer exists: false as long as the server answers that it does not. */
  readonly onPresence: (isPresent: boolean) => void;
}

/**
 * Asks a consumer for messages, one request after the other, while the connection is up. The server pins one client of the consumer, and the requests of the
 * others wait until it has left.
 */
export class PullLoop {
  readonly #options: PullOptions;
  readonly #inbox: string;
  readonly #closing = new AbortController();
  /** The present request has ended, or something was heard. */
  readonly #heard = new Wake();
  readonly #running: Promise<void>;
  #request = 0;
  #left = 0;
  #pin = '';
  #pauseMs = 0;
  #isHeard = false;

  constructor(options: PullOptions) {
    this.#options = options;
    this.#inbox = createInbox(options.inboxPrefix);
    const { link } = options;
    const subscription = link.connection.subscribe(`${this.#inbox}.*`, {
      callback: (error, message) => {
        if (error === null) this.#take(message);
      },
    });
    const forget = link.onChange(() => this.#end(0));
    this.#running = this.#run().finally(() => {
      forget();
      if (!link.connection.isClosed()) subscription.unsubscribe();
    });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      if (this.#options.link.isUp) await this.#pull();
      else this.#pauseMs = 100;
      if (this.#pauseMs > 0 && !signal.aborted) await new Wake().wait({ timeoutMs: this.#pauseMs, signal });
    }
  }

  /** One request, until it has ended or nothing is heard of it. */
  async #pull(): Promise<void> {
    const { link, stream, consumer } = this.#options;
    this.#request += 1;
    this.#left = BATCH;
    this.#pauseMs = 0;
    const request = {
      batch: BATCH,
      expires: PULL_MS * 1_000_000,
      idle_heartbeat: HEARTBEAT_MS * 1_000_000,
      group: PIN_GROUP,
      ...(this.#pin !== '' && { id: this.#pin }),
    };
    const reply = `${this.#inbox}.${this.#request}`;
    link.connection.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`, JSON.stringify(request), { reply });
    while (this.#left > 0 && !this.#closing.signal.aborted) {
      this.#isHeard = false;
      await this.#heard.wait({ timeoutMs: SILENCE_MS, signal: this.#closing.signal });
      if (!this.#isHeard) return;
    }
  }

  #take(message: Msg): void {
    this.#isHeard = true;
    if (!message.subject.startsWith(this.#inbox)) {
      this.#pin = message.headers?.get('Nats-Pin-Id') || this.#pin;
      this.#left -= 1;
      this.#options.onPresence(true);
      this.#options.onMessage(message);
      if (this.#left <= 0) this.#heard.wake();
    } else if (message.subject === `${this.#inbox}.${this.#request}`) {
      this.#takeStatus(message.headers?.code ?? 0);
    }
  }

  #takeStatus(code: number): void {
    if (code === HEARTBEAT) {
      this.#heard.wake();
      return;
    }
    if (code === NOT_PINNED) this.#pin = '';
    this.#options.onPresence(code !== NO_RESPONDERS);
    this.#end(code === TIMED_OUT ? 0 : code === NOT_PINNED ? 20 : 300);
  }

  #end(pauseMs: number): void {
    this.#isHeard = true;
    this.#left = 0;
    this.#pauseMs = pauseMs;
    this.#heard.wake();
  }
}

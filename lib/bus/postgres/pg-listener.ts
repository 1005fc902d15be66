import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { PgDriverOptions } from './pg-driver-options.ts';
import { listenTo, openPgSession, type PgSession } from './pg-session.ts';
import { busUnavailable } from '../driver/index.ts';

const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 5_000;

interface PgListenerOptions extends PgDriverOptions {
  readonly onNotification: (channel: string, text: string) => void;
}

/** Listens to a changing set of channels over one connection, which is opened again when it is lost. */
export class PgListener {
  readonly #options: PgListenerOptions;
  readonly #channels = new Set<string>();
  readonly #closing = new AbortController();
  /** The session now, or the next one while there is none; rejects when the listener is closed. */
  #session = pendingSession();
  #current: PgSession | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: PgListenerOptions) {
    this.#options = options;
  }

  /** Opens the first connection. From then on a lost connection is opened again. */
  async open(): Promise<void> {
    const first = await this.#openSession();
    this.#running = this.#keepOpen(first);
  }

  /**
   * Resolves when the server delivers the channel. When the connection is lost meanwhile, the statement is sent again on the next
   * one, which listens to the whole set: its answer shows that the channel is delivered.
   */
  async listen(channel: string): Promise<void> {
    this.#channels.add(channel);
    while (!this.#closing.signal.aborted) {
      const session = await this.#session.promise;
      if (await isExecuted(session, listenTo(channel))) return;
      await session.ended;
    }
  }

  /** Does not wait while the connection is lost: the next one does not listen to the channel. */
  async unlisten(channel: string): Promise<void> {
    this.#channels.delete(channel);
    if (this.#current !== undefined) await isExecuted(this.#current, `un${listenTo(channel)}`);
  }

  /** Sends a statement over the connection, which then needs no further sign of life. Undefined while there is none, and when the statement failed. */
  async query<Row extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<Row[] | undefined> {
    const answer = await this.#current?.query<Row>(statement).catch(() => undefined);
    return answer?.rows;
  }

  /** Throws `unavailable` while the connection is lost. */
  async ping(): Promise<void> {
    const session = this.#current;
    if (session === undefined) throw busUnavailable();
    await session.query('select 1');
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#current?.client.end();
    await this.#running;
  }

  async #keepOpen(first: PgSession): Promise<void> {
    let session: PgSession | undefined = first;
    while (session !== undefined) {
      this.#current = session;
      this.#session.resolve(session);
      await session.ended;
      this.#current = undefined;
      this.#session = pendingSession();
      session = await this.#reopen();
    }
    this.#session.reject(new Error('the bus was closed'));
  }

  /** Undefined when the listener was closed meanwhile. */
  async #reopen(): Promise<PgSession | undefined> {
    const { signal } = this.#closing;
    for (let limit = FIRST_RETRY_MS; !signal.aborted; limit = Math.min(limit * 2, LAST_RETRY_MS)) {
      this.#options.log.warn('bus connection for listening lost: hints are missed until it is made again');
      await sleep(limit * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {});
      const session = await this.#openSession().catch(() => undefined);
      if (session !== undefined && !signal.aborted) return session;
      await session?.client.end();
    }
    return undefined;
  }

  async #openSession(): Promise<PgSession> {
    return openPgSession({ ...this.#options, channels: this.#channels });
  }
}

/** Returns false when the connection was lost. Throws when the server refuses the statement. */
async function isExecuted({ client }: PgSession, statement: string): Promise<boolean> {
  try {
    await client.query(statement);
    return true;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.severity === 'ERROR') throw error;
    return false;
  }
}

function pendingSession(): PromiseWithResolvers<PgSession> {
  const pending = Promise.withResolvers<PgSession>();
  // It rejects on close, also when no call waits for it.
  pending.promise.catch(() => {});
  return pending;
}

import type { Socket } from 'node:net';
import { callbackify } from 'node:util';
import pg, { type ClientConfig } from 'pg';
import { AnswerWatch, type Watched } from './answer-watch.ts';
import { connectMs, graceMs, longStatementMs, usualStatementMs } from './limits.ts';

export interface WatchedConfig extends ClientConfig {
  /** The watch that the connection shares with others to the same database. Default: one of its own. */
  readonly watch?: AnswerWatch;
  /** Limit in milliseconds of one statement, which the session has as `statement_timeout`. Default: six seconds. */
  readonly statementMs?: number | undefined;
  /** Limit in milliseconds of one statement of long work. Default: ten minutes. */
  readonly longMs?: number;
  /**
   * Whether the address is that of a pooler which gives each transaction another connection to the server: then statements are sent without their names, because none of those
   * connections keeps what this client has prepared.
   */
  readonly isPooled?: boolean;
  /** Called with a new connection before it is used, which waits for it. */
  readonly onConnected?: (client: pg.Client) => Promise<void>;
}

/** Idle time in milliseconds after which TCP asks whether the other side is still there. It asks ten times, a second apart. */
const keepAliveMs = 5_000;

/**
 * A client of PostgreSQL whose connection is closed when the server owes an answer for longer than `answerLimitMs`: then its statements
 * fail like those of any lost connection. Opening the connection has a limit too, and TCP keepalive is on.
 */
export class WatchedClient extends pg.Client implements Watched {
  owesAnswer = false;
  /** Whether its statements have the limit of long work. */
  isPatient = false;
  readonly #statementMs: number;
  readonly #longMs: number;

  constructor({
    watch = new AnswerWatch(),
    statementMs = usualStatementMs,
    longMs = longStatementMs,
    isPooled = false,
    onConnected,
    ...config
  }: WatchedConfig) {
    super({
      ...config,
      connectionTimeoutMillis: Math.min(config.connectionTimeoutMillis ?? connectMs, connectMs),
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveMs,
    });
    this.#statementMs = statementMs;
    this.#longMs = longMs;
    // A broken connection fails its statements. Between them, also before a pool has the client, the event without a listener would end the process.
    this.on('error', () => undefined);
    // `pg` emits it when nothing is left to be answered.
    this.on('drain', () => (this.owesAnswer = false));
    this.once('connect', () => watch.add(this));
    this.once('end', () => watch.remove(this));
    this.#noteRequests(isPooled);
    if (onConnected !== undefined) this.#prepare(onConnected);
  }

  /** `connect` has two signatures, too: the pool calls it with a callback. */
  #prepare(onConnected: (client: pg.Client) => Promise<void>): void {
    const connect = async (): Promise<void> => {
      await super.connect();
      await onConnected(this).catch(async (error: unknown) => {
        await this.end().catch(() => undefined);
        throw error;
      });
    };
    const tell = callbackify(connect);
    this.connect = ((done?: (error?: Error) => void) =>
      done === undefined ? connect() : tell(done)) as typeof this.connect;
  }

  get answerLimitMs(): number {
    return (this.isPatient ? this.#longMs : this.#statementMs) + graceMs;
  }

  get bytesRead(): number {
    return (this.connection.stream as Socket).bytesRead;
  }

  abandon(error: Error): void {
    this.connection.stream.destroy(error);
  }

  /** Notes that an answer is owed, by a statement or by the farewell. Not by overriding: both methods have several signatures. */
  #noteRequests(isPooled: boolean): void {
    const noting = <Args extends unknown[], Answer>(send: (...args: Args) => Answer) => {
      return (...args: Args): Answer => {
        this.owesAnswer = true;
        return send(...args);
      };
    };
    this.query = noting((...[statement, ...rest]: Parameters<typeof this.query>) =>
      super.query(isPooled ? unnamed(statement) : statement, ...rest),
    ) as typeof this.query;
    this.end = noting((...args: Parameters<typeof this.end>) => super.end(...args)) as typeof this.end;
  }
}

/** The statement without its name, if it is one that `pg` would prepare. */
function unnamed<S>(statement: S): S {
  const isNamed = typeof statement === 'object' && statement !== null && 'name' in statement && 'text' in statement;
  return isNamed ? { ...statement, name: undefined } : statement;
}

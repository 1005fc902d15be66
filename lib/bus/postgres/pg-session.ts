import pg from 'pg';
import { limitSettings, WatchedClient, withSessionSettings } from '../../pg/index.ts';

/** Pause in milliseconds between questions whether the server is there. A listener has no other reason to expect an answer. */
const HEARTBEAT_MS = 15_000;

export interface PgSessionOptions {
  readonly url: string;
  readonly statementMs?: number | undefined;
  readonly channels: Iterable<string>;
  readonly onNotification: (channel: string, text: string) => void;
}

/** One connection that listens. */
export interface PgSession {
  readonly client: pg.Client;
  /** Sends a statement; the answer is a sign of life. */
  query<Row extends pg.QueryResultRow>(statement: string | pg.QueryConfig): Promise<pg.QueryResult<Row>>;
  /** Resolves when the connection has ended, for any reason. */
  readonly ended: Promise<void>;
}

/** Connects and listens to `channels`. */
export async function openPgSession(options: PgSessionOptions): Promise<PgSession> {
  const client = new WatchedClient({
    connectionString: withSessionSettings(options.url, limitSettings(options.statementMs)),
    statementMs: options.statementMs,
    application_name: 'agentmesh bus listen',
    // Services subscribe, store and ask at the same time, and none of them waits for the others.
    pipeline: true,
  });
  const ended = new Promise<void>((resolve) => client.once('end', resolve));
  client.on('notification', ({ channel, payload }) => options.onNotification(channel, payload ?? ''));
  await client.connect();
  const statements = Array.from(options.channels, listenTo);
  if (statements.length > 0) await client.query(statements.join(';'));
  const signs = { askedAt: -Infinity };
  void keepWatch(client, signs, ended);
  const query: PgSession['query'] = (statement) => {
    signs.askedAt = performance.now();
    return client.query(statement);
  };
  return { client, query, ended };
}

export function listenTo(channel: string): string {
  return `listen ${pg.escapeIdentifier(channel)}`;
}

/** Asks the server for something when nobody else has lately, one question at a time. The client closes a connection without answers. */
async function keepWatch(client: pg.Client, signs: { readonly askedAt: number }, ended: Promise<void>): Promise<void> {
  let isAsking = false;
  const timer = setInterval(() => {
    if (isAsking || performance.now() - signs.askedAt < HEARTBEAT_MS) return;
    isAsking = true;
    client
      .query('select 1')
      .catch(() => {})
      .finally(() => (isAsking = false));
  }, HEARTBEAT_MS);
  timer.unref();
  await ended;
  clearInterval(timer);
}

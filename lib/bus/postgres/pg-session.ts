import { Socket } from 'node:net';
import pg from 'pg';

const CONNECT_TIMEOUT_MS = 5_000;
const HEARTBEAT_MS = 15_000;

export interface PgSessionOptions {
  readonly url: string;
  readonly channels: Iterable<string>;
  readonly onNotification: (channel: string, text: string) => void;
}

/** One connection that listens. */
export interface PgSession {
  readonly client: pg.Client;
  /** Resolves when the connection has ended, for any reason. */
  readonly ended: Promise<void>;
}

/** Connects and listens to `channels`. */
export async function openPgSession(options: PgSessionOptions): Promise<PgSession> {
  const socket = new Socket();
  const client = new pg.Client({
    connectionString: options.url,
    stream: () => socket,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'agentmesh bus listen',
  });
  const ended = new Promise<void>((resolve) => client.once('end', resolve));
  // Every error ends the connection.
  client.on('error', () => {});
  client.on('notification', ({ channel, payload }) => options.onNotification(channel, payload ?? ''));
  await client.connect();
  const statements = Array.from(options.channels, listenTo);
  if (statements.length > 0) await client.query(statements.join(';'));
  void keepWatch(client, socket, ended);
  return { client, ended };
}

export function listenTo(channel: string): string {
  return `listen ${pg.escapeIdentifier(channel)}`;
}

/** Sends a query from time to time. A dead connection that TCP does not report gives no answer, and is closed. */
async function keepWatch(client: pg.Client, socket: Socket, ended: Promise<void>): Promise<void> {
  const timer = setInterval(() => {
    const late = setTimeout(() => socket.destroy(), HEARTBEAT_MS);
    client
      .query('select 1')
      .catch(() => {})
      .finally(() => clearTimeout(late));
  }, HEARTBEAT_MS);
  timer.unref();
  await ended;
  clearInterval(timer);
}

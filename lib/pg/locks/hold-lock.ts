import { setTimeout as sleep } from 'node:timers/promises';
import { WatchedClient, type WatchedConfig } from '../connection/index.ts';

const pauseMs = 50;
/** Shorter than the time after which the server ends a transaction that waits for its next statement. */
const heartbeatMs = 2_000;

interface HoldOptions {
  /** A connection of its own, whose search path begins with the schema. */
  readonly connection: WatchedConfig;
  readonly name: string;
  /** Called when the connection broke, and with it the lock. */
  readonly onLost: (error: Error) => void;
}

/**
 * Waits for a lock of the schema, and holds it until it is disposed or the connection ends for any reason. It asks again and again: a statement that waited would hold up
 * another one that builds an index concurrently. A snapshot of this transaction would do the same: its statements have no parameters, because PostgreSQL keeps the snapshot
 * of such a statement until the next one, and the heartbeat needs none.
 */
export async function holdLock({ connection, name, onLost }: HoldOptions): Promise<AsyncDisposable> {
  const client = new WatchedClient(connection);
  let isHeld = false;
  client.on('error', (error) => isHeld && onLost(error));
  await client.connect();
  try {
    await client.query('insert into locks(name) values ($1) on conflict do nothing', [name]);
    while (!(await take(client, name))) await sleep(pauseMs);
  } catch (error) {
    await client.end();
    throw error;
  }
  isHeld = true;
  const heartbeat = setInterval(
    () => void client.query('show statement_timeout').catch(() => undefined),
    heartbeatMs,
  ).unref();
  return {
    [Symbol.asyncDispose]: async () => {
      isHeld = false;
      clearInterval(heartbeat);
      await client.end();
    },
  };
}

async function take(client: WatchedClient, name: string): Promise<boolean> {
  await client.query('begin');
  const text = `select from locks where name = ${client.escapeLiteral(name)} for update skip locked`;
  const { rowCount } = await client.query(text);
  if (rowCount === 1) return true;
  await client.query('rollback');
  return false;
}

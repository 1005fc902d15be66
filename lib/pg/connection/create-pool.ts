import pg, { type PoolClient } from 'pg';
import { WatchedClient, type WatchedConfig } from './watched-client.ts';

export interface WatchedPoolConfig extends Omit<pg.PoolConfig, 'Client'>, WatchedConfig {
  /** Most connections. */
  readonly max: number;
  /** Longest wait in milliseconds for a free connection. */
  readonly connectionTimeoutMillis: number;
  /** Called when an idle connection breaks. */
  readonly onLost: (error: Error) => void;
}

/** A connection of a pool. */
export type WatchedPoolClient = PoolClient & WatchedClient;

/** A pool of connections that are closed when the server does not answer. */
export function createPool({ onLost, ...config }: WatchedPoolConfig): pg.Pool {
  // The pool makes clients with its own options, which its declaration does not say.
  const Client = WatchedClient as unknown as new () => WatchedClient;
  const pool = new pg.Pool({ ...config, Client });
  pool.on('error', onLost);
  return pool;
}

import type { Logger } from '../telemetry/index.ts';
import type { BusDriver } from './driver/index.ts';
import type { NatsOptions } from './nats/index.ts';
import { createPgDriver } from './postgres/index.ts';

export interface OpenDriverOptions {
  /** How NATS is reached; undefined: messages go through PostgreSQL. */
  readonly nats: Omit<NatsOptions, 'log'> | undefined;
  /** postgres:// address, which is used without NATS. */
  readonly databaseUrl: string;
  /** The same database past a pooler, where `databaseUrl` is that of a pooler. */
  readonly directUrl?: string | undefined;
  readonly log: Logger;
}

/** Opens the driver of a process. Throws `unavailable` (reason `bus_unavailable`) when its server cannot be reached. */
export async function openDriver({
  nats,
  databaseUrl,
  directUrl,
  log,
}: OpenDriverOptions): Promise<BusDriver & AsyncDisposable> {
  if (nats === undefined) return createPgDriver({ url: databaseUrl, directUrl, log });
  // NATS's client costs start-up time and memory, so it is imported only where it is used.
  const { createNatsDriver } = await import('./nats/index.ts');
  return createNatsDriver({ ...nats, log });
}

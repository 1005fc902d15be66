import type { Logger } from '../../telemetry/index.ts';

export interface PgDriverOptions {
  /** postgres:// address. Processes hear each other when they use the same database of the same server. */
  readonly url: string;
  /** Address of the same database past a pooler, where `url` is that of a pooler in transaction mode: to listen, and to prepare the tables. */
  readonly directUrl?: string | undefined;
  readonly log: Logger;
  /** Limit of one statement in milliseconds. Default: six seconds. */
  readonly statementMs?: number | undefined;
}

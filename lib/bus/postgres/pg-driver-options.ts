import type { Logger } from '../../telemetry/index.ts';

export interface PgDriverOptions {
  /** postgres:// address. Processes hear each other when they use the same database of the same server. */
  readonly url: string;
  readonly log: Logger;
  /** Limit of one statement in milliseconds. Default: six seconds. */
  readonly statementMs?: number | undefined;
}

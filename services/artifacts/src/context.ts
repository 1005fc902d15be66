import type { Database } from '@agentmesh/lib/pg';
import type { Logger } from '@agentmesh/lib/telemetry';
import type { BlobStore } from './blobs/blob-store.ts';

/** What every RPC and job of this service works with. */
export interface Context {
  readonly db: Database;
  readonly log: Logger;
  readonly blobs: BlobStore;
  /** Most bytes of a payload. */
  readonly maxBytes: number;
  /** Most bytes of a payload that is kept in PostgreSQL. */
  readonly inlineMaxBytes: number;
}

import type { Database } from '@agentmesh/lib/pg';
import type { Logger } from '@agentmesh/lib/telemetry';
import type { AuthService } from '@agentmesh/proto/auth/v1';
import type { Usage } from '@agentmesh/lib/usage';
import type { Client } from '@connectrpc/connect';
import type { BlobStore } from './blobs/blob-store.ts';
import type { Config } from './config.ts';

/** Dependencies of every RPC, consumer and job of this service. */
export interface Context {
  readonly config: Config;
  readonly db: Database;
  readonly auth: Client<typeof AuthService>;
  readonly blobs: BlobStore;
  readonly log: Logger;
  readonly usage: Usage<'artifacts' | 'bytes'>;
}

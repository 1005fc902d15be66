import type { Jobs } from '@agentmesh/lib/jobs';
import type { Database } from '@agentmesh/lib/pg';
import type { Logger } from '@agentmesh/lib/telemetry';
import type { Usage } from '@agentmesh/lib/usage';
import type { AuthService } from '@agentmesh/proto/auth/v1';
import type { SessionsService } from '@agentmesh/proto/sessions/v1';
import type { Client } from '@connectrpc/connect';
import type { EmbedJobs, IngestContext } from './ingest/ingest.ts';
import type { KeyedLimit } from './ingest/keyed-limit.ts';
import type { Meaning } from './search/meaning.ts';

/** Finds entries by meaning, in addition to words. */
export interface Embedding extends EmbedJobs {
  readonly meaning: Meaning;
  /** Looks for entries to embed now. For calls after the commit. */
  wake(): void;
}

/** Dependencies of the RPCs. */
export interface Context extends IngestContext {
  readonly enabled: boolean;
  readonly db: Database;
  readonly auth: Client<typeof AuthService>;
  readonly log: Logger;
  readonly jobs: Jobs;
  readonly sessions: Client<typeof SessionsService>;
  /** Limits calls that add sessions, and deletions that take long, so that they do not take every connection of the database. */
  readonly addLimit: KeyedLimit;
  /** Counts the entries of accounts. */
  readonly usage: Usage<'entries'>;
  /** Most entries of an account. */
  readonly mostEntries: number;
  /** Present when an embedding model is set. */
  readonly embedding?: Embedding;
}

import type { Jobs } from '@agentmesh/lib/jobs';
import type { Database, Transaction } from '@agentmesh/lib/pg';
import type { Logger } from '@agentmesh/lib/telemetry';
import type { AuthService } from '@agentmesh/proto/auth/v1';
import type { SessionsService } from '@agentmesh/proto/sessions/v1';
import type { Client } from '@connectrpc/connect';
import type { KeyedLimit } from './ingest/keyed-limit.ts';
import type { Meaning } from './search/meaning.ts';
import type { Language } from './text/languages.ts';
import type { Partition } from './store/partitions.ts';
import type { Lexicon } from './text/lexicon.ts';

/** Finds entries by meaning, in addition to words. */
export interface Embedding {
  readonly meaning: Meaning;
  /** Adds jobs that embed entries, in the transaction. */
  enqueue(tx: Transaction, partition: Partition, places: readonly number[]): Promise<void>;
  /** Looks for entries to embed now. For calls after the commit. */
  wake(): void;
}

/** Dependencies of the RPCs. */
export interface Context {
  readonly enabled: boolean;
  /** The language of texts without stop words of a known one. */
  readonly defaultLanguage: Language;
  readonly db: Database;
  readonly auth: Client<typeof AuthService>;
  readonly log: Logger;
  readonly jobs: Jobs;
  readonly sessions: Client<typeof SessionsService>;
  readonly lexicon: Lexicon;
  /** Limits calls that add sessions, so that they do not take every connection of the database. */
  readonly addLimit: KeyedLimit;
  /** Present when an embedding model is set. */
  readonly embedding?: Embedding;
}

import type { Database } from '@agentmesh/lib/pg';
import type { SessionsService } from '@agentmesh/proto/sessions/v1';
import type { Client } from '@connectrpc/connect';
import type { InTurn } from './ingest/in-turn.ts';
import type { Meaning } from './search/meaning.ts';
import type { Language } from './text/languages.ts';
import type { Lexicon } from './text/lexicon.ts';

/** What makes search find what is meant, beside what is said. */
export interface Embedding {
  readonly meaning: Meaning;
  /** Says that entries wait for their vectors. */
  wake(): void;
}

/** What every RPC of this service works with. */
export interface Context {
  readonly enabled: boolean;
  /** The language of texts that do not tell theirs. */
  readonly defaultLanguage: Language;
  readonly db: Database;
  readonly sessions: Client<typeof SessionsService>;
  readonly lexicon: Lexicon;
  /** Keeps those who add sessions from taking every connection. */
  readonly inTurn: InTurn;
  /** Where an embedding model is set. */
  readonly embedding?: Embedding;
}

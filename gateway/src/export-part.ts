import type { Context } from './context.ts';
import type { Identity } from './edge/authentication/identity.ts';

/** One line of an export. */
export interface ExportedRecord {
  /** Kind of the record, such as `session`. */
  readonly kind: string;
  /** Names of what it belongs to, such as the session of an event. */
  readonly of?: object;
  /** The record as its route answers it; bytes are JSON. */
  readonly data: object | Uint8Array;
}

/** The records that a slice has of an account. */
export interface ExportPart {
  /** Kinds of the records, in the order in which they come. */
  readonly kinds: readonly string[];
  /** Reads page by page, at the pace of the reader. What is deleted meanwhile is left out. */
  read(context: Context, owner: Identity): AsyncGenerator<ExportedRecord>;
}

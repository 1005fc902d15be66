import type { Transcriber } from './upstream/transcriber.ts';

/** What the RPCs of this service work with. */
export interface Context {
  /** Undefined when no transcription server is configured. */
  readonly transcriber: Transcriber | undefined;
}

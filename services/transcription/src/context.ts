import type { Transcriber } from './upstream/transcriber.ts';

/** Dependencies of every RPC of this service. */
export interface Context {
  /** Undefined when no transcription server is configured. */
  readonly transcriber: Transcriber | undefined;
}

import type { AudioFormat } from './formats.ts';

/** A recording that is still arriving. */
export interface Recording {
  readonly format: AudioFormat;
  /** Its bytes, from the first on. Can be read once. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

import type { GenerateContentResponseUsageMetadata } from '@google/genai';

/** How a call ended. */
export interface CallEnd {
  /** Tokens as the model reported them; undefined when it reported none. */
  readonly usage: GenerateContentResponseUsageMetadata | undefined;
  /** The caller left before the end: the provider counts what it has done until then. */
  readonly isAborted: boolean;
}

import type { GenerateContentResponseUsageMetadata } from '@google/genai';

/** How a call ended. */
export interface CallEnd {
  /** Tokens as the model reported them; undefined when it reported none. */
  readonly usage: GenerateContentResponseUsageMetadata | undefined;
  /** The model's name in its answer; undefined when it named none. */
  readonly answered: string | undefined;
  /** `left`: the caller left or the answer broke off before its end, and the provider counts what it has done until then. */
  readonly outcome: 'answered' | 'failed' | 'left';
}

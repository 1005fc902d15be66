import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Dialect } from './dialect.ts';

/** A model that can be called, with its vendor's dialect. */
export interface Connection {
  readonly languageModel: LanguageModelV4;
  readonly dialect: Dialect;
  /** Secrets that no error message may contain. */
  readonly secrets: readonly string[];
}

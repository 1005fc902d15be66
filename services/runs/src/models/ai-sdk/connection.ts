import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Dialect } from './dialect.ts';

/** A model that can be asked, with the ways of its vendor. */
export interface Connection {
  readonly languageModel: LanguageModelV4;
  readonly dialect: Dialect;
  /** Texts that no error message may show. */
  readonly secrets: readonly string[];
}

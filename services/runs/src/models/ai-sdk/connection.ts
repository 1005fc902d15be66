import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { CallEnd } from '../call-end.ts';
import type { Dialect } from './dialect.ts';

/** A model that can be called, with its vendor's dialect. */
export interface Connection {
  readonly languageModel: LanguageModelV4;
  readonly dialect: Dialect;
  /** Secrets that no error message may contain. */
  readonly secrets: readonly string[];
  /** Called when the model has begun to answer. */
  readonly onSpoke?: () => void;
  /** Called once, when the call is over. */
  readonly onEnd?: (end: CallEnd) => void;
}

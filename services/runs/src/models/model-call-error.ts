import type { LlmResponse } from '@google/adk/core';

/** The facts that an answer has told before it turned out to be of no use. */
export type ToldFacts = Pick<LlmResponse, 'usageMetadata' | 'modelVersion'>;

/** A failed model call whose code and message may be shown unchanged. */
export class ModelCallError extends Error {
  override readonly name = 'ModelCallError';
  readonly errorCode: string;
  /** Empty without an answer. */
  readonly told: ToldFacts;

  constructor(errorCode: string, message: string, options?: { cause?: unknown; told?: ToldFacts }) {
    super(message, options);
    this.errorCode = errorCode;
    this.told = options?.told ?? {};
  }
}

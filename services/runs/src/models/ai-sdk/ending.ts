import type { LanguageModelV4FinishReason, SharedV4ProviderMetadata } from '@ai-sdk/provider';
import type { FinishReason } from '@google/genai';

/** The end of an answer, as the SDK reports it. */
export interface Ending {
  readonly reason: LanguageModelV4FinishReason;
  readonly metadata: SharedV4ProviderMetadata | undefined;
  /** Whether the answer has text or calls. */
  readonly hasContent: boolean;
}

/** Converts the end of an answer to ADK's terms, with an error unless it ended normally. */
export interface Finish {
  readonly finishReason?: FinishReason;
  readonly errorCode?: string;
  readonly errorMessage?: string;
}

import type { LanguageModelV4FinishReason, SharedV4ProviderMetadata } from '@ai-sdk/provider';
import type { FinishReason } from '@google/genai';

/** The end of an answer, as the SDK reports it. */
export interface Ending {
  readonly reason: LanguageModelV4FinishReason;
  readonly metadata: SharedV4ProviderMetadata | undefined;
  /** Whether anything was said or called. */
  readonly hasContent: boolean;
}

/** How an answer ended, in ADK's words; with an error unless it ended well. */
export interface Finish {
  readonly finishReason?: FinishReason;
  readonly errorCode?: string;
  readonly errorMessage?: string;
}

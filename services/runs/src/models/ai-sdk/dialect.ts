import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import type { LlmResponse } from '@google/adk';
import type { GenerateContentConfig, GenerateContentResponseUsageMetadata } from '@google/genai';
import type { FileRules } from './request/to-user-part.ts';
import type { Ending, Finish } from './ending.ts';

/** Where the words of an answer come from. */
export type Sources = Pick<LlmResponse, 'groundingMetadata' | 'citationMetadata'>;

/** The differences between vendors that the SDK leaves to its caller. */
export interface Dialect {
  readonly files: FileRules;
  /** Whether a conversation must begin with a user. */
  readonly userFirst: boolean;
  /** Call ids that the vendor takes; others are replaced in what is sent. */
  readonly callId: RegExp;
  /** Settings of the app in the vendor's own options. */
  readonly options: (config: GenerateContentConfig) => Partial<LanguageModelV4CallOptions>;
  /** The data that must be sent back with a part of an answer, as ADK's `thoughtSignature` (standard base64). */
  readonly readSignature: (metadata: SharedV4ProviderMetadata) => string | undefined;
  /** The reverse; undefined for what another vendor signed. */
  readonly writeSignature: (thoughtSignature: string) => SharedV4ProviderOptions | undefined;
  readonly finish: (ending: Ending) => Finish;
  readonly usage: (usage: LanguageModelV4Usage) => GenerateContentResponseUsageMetadata;
  /** The model's version in a raw chunk or body; absent where the SDK reads it. */
  readonly readModelVersion?: (raw: unknown) => string | undefined;
  /** The sources that a raw chunk or body names; absent where the vendor names none. */
  readonly readSources?: (raw: unknown) => Sources;
}

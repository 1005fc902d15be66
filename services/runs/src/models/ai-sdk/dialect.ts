import type {
  LanguageModelV4CallOptions,
  LanguageModelV4ProviderTool,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import type { LlmResponse } from '@google/adk/core';
import type { GenerateContentConfig, GenerateContentResponseUsageMetadata } from '@google/genai';
import type { Ending, Finish } from './ending.ts';

/** Sources that an answer is based on. */
export type Sources = Pick<LlmResponse, 'groundingMetadata' | 'citationMetadata'>;

/** The end of an answer, as its last chunk tells it. */
export type ChunkEnd = Pick<LlmResponse, 'finishReason' | 'usageMetadata'>;

/** The vendor's support for files. */
export interface FileRules {
  /** Form in which text files are sent: as files of their own type, as documents of type `text/plain`, or as message text. */
  readonly text: 'file' | 'document' | 'text';
  /** Whether the vendor fetches a file of this type from this URL itself. For other files, a text names the URL. */
  readonly link: (url: URL, mediaType: string) => boolean;
  /** True when answers of tools may hold images. */
  readonly inAnswers: boolean;
}

/** Differences between vendors that the SDK does not handle. */
export interface Dialect {
  readonly files: FileRules;
  /** Whether a conversation must begin with a user message. */
  readonly userFirst: boolean;
  /** Call ids that the vendor accepts. Others are replaced in requests. */
  readonly callId: RegExp;
  /** Converts settings of the app to the vendor's own options. */
  readonly options: (config: GenerateContentConfig) => Partial<LanguageModelV4CallOptions>;
  /** Tools of a request that the model runs itself. Absent: the vendor has none here. */
  readonly nativeTools?: (config: GenerateContentConfig) => LanguageModelV4ProviderTool[];
  /** Data that must be sent back with a part of an answer, as ADK's `thoughtSignature` (standard base64). */
  readonly readSignature: (metadata: SharedV4ProviderMetadata) => string | undefined;
  /** The inverse; undefined for the signature of another vendor. */
  readonly writeSignature: (thoughtSignature: string) => SharedV4ProviderOptions | undefined;
  readonly finish: (ending: Ending) => Finish;
  readonly usage: (usage: LanguageModelV4Usage) => GenerateContentResponseUsageMetadata;
  /** Reads the model's version from a raw chunk or body. Absent: the SDK reads it. */
  readonly readModelVersion?: (raw: unknown) => string | undefined;
  /** Reads the sources from a raw chunk or body. Absent: the vendor names no sources. */
  readonly readSources?: (raw: unknown) => Sources;
  /** Reads the end of an answer from its last raw chunk, for the last partial response. Absent: only the whole response has it. */
  readonly readEnd?: (raw: unknown) => ChunkEnd | undefined;
}

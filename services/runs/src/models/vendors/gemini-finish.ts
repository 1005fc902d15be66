import type { SharedV4ProviderMetadata } from '@ai-sdk/provider';
import { FinishReason, type GenerateContentResponseUsageMetadata } from '@google/genai';
import type { ChunkEnd } from '../ai-sdk/dialect.ts';
import type { Ending, Finish } from '../ai-sdk/ending.ts';

const messages: ReadonlyMap<string, string> = new Map([
  ['MAX_TOKENS', 'The answer reached the limit of output tokens.'],
  ['SAFETY', "The model's safety filter ended the answer."],
  ['RECITATION', 'The answer was ended because it recites what others wrote.'],
  ['MALFORMED_FUNCTION_CALL', 'The model made a function call that cannot be read.'],
  ['UNEXPECTED_TOOL_CALL', 'The model called a tool that it was not given.'],
]);

/** Gemini's finish reasons are also ADK's. A blocked prompt has no finish reason; the block reason becomes its error. */
export function geminiFinish({ reason, metadata }: Ending): Finish {
  const { raw = FinishReason.OTHER } = reason;
  if (raw === FinishReason.STOP) return { finishReason: FinishReason.STOP };
  const blocked = textIn(metadata, 'promptFeedback', 'blockReason') === raw;
  if (blocked) return { errorCode: raw, errorMessage: 'The prompt was blocked by the filter of the model.' };
  const errorMessage = textIn(metadata, 'finishMessage') ?? messages.get(raw) ?? `The model ended its answer: ${raw}.`;
  return { finishReason: raw as FinishReason, errorCode: raw, errorMessage };
}

function textIn(metadata: SharedV4ProviderMetadata | undefined, ...path: readonly string[]): string | undefined {
  let at: unknown = metadata?.['google'];
  for (const key of path) at = typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined;
  return typeof at === 'string' && at !== '' ? at : undefined;
}

interface LastChunk {
  readonly candidates?: readonly { readonly finishReason?: FinishReason | null }[];
  readonly usageMetadata?: GenerateContentResponseUsageMetadata | null;
}

/** The end that a chunk tells; undefined for one that is not the last. */
export function geminiEnd(raw: unknown): ChunkEnd | undefined {
  const { candidates, usageMetadata } = (raw ?? {}) as LastChunk;
  const finishReason = candidates?.[0]?.finishReason;
  if (typeof finishReason !== 'string') return undefined;
  return { finishReason, ...(usageMetadata ? { usageMetadata } : {}) };
}

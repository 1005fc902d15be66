import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import type { GenerateContentResponseUsageMetadata } from '@google/genai';

/** Token counts in ADK's words; counts that the model did not tell are left out. */
export function toUsageMetadata(usage: LanguageModelV4Usage | undefined): GenerateContentResponseUsageMetadata {
  const prompt = usage?.inputTokens.total;
  const output = usage?.outputTokens.total;
  const thoughts = usage?.outputTokens.reasoning;
  const cached = usage?.inputTokens.cacheRead;
  return {
    ...(prompt === undefined ? {} : { promptTokenCount: prompt }),
    ...(output === undefined ? {} : { candidatesTokenCount: output - (thoughts ?? 0) }),
    ...(thoughts ? { thoughtsTokenCount: thoughts } : {}),
    ...(cached ? { cachedContentTokenCount: cached } : {}),
    ...(prompt === undefined || output === undefined ? {} : { totalTokenCount: prompt + output }),
  };
}

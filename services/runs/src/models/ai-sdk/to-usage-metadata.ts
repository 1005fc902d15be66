import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import type { GenerateContentResponseUsageMetadata } from '@google/genai';

/** Converts token counts to ADK's form. Counts that the model did not report are left out. */
export function toUsageMetadata(usage: LanguageModelV4Usage | undefined): GenerateContentResponseUsageMetadata {
  const prompt = usage?.inputTokens.total;
  const output = usage?.outputTokens.total;
  const thoughts = usage?.outputTokens.reasoning ?? 0;
  const cached = usage?.inputTokens.cacheRead;
  const said = output === undefined || countsApart(usage) ? output : output - thoughts;
  return {
    ...(prompt === undefined ? {} : { promptTokenCount: prompt }),
    ...(said === undefined ? {} : { candidatesTokenCount: said }),
    ...(thoughts > 0 ? { thoughtsTokenCount: thoughts } : {}),
    ...(cached ? { cachedContentTokenCount: cached } : {}),
    ...(prompt === undefined || said === undefined ? {} : { totalTokenCount: prompt + said + thoughts }),
  };
}

/** Vendors include thoughts in the output count. Some compatible servers count them separately, which their total shows. */
function countsApart(usage: LanguageModelV4Usage | undefined): boolean {
  const { total: output = 0, reasoning: thoughts = 0 } = usage?.outputTokens ?? {};
  const beside = (usage?.inputTokens.total ?? 0) + output + thoughts;
  return thoughts > output || (thoughts > 0 && usage?.raw?.['total_tokens'] === beside);
}

import type { AnthropicLanguageModelOptions } from '@ai-sdk/anthropic';
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { GenerateContentConfig } from '@google/genai';
import { toReasoning } from './to-reasoning.ts';

/** Smallest thinking budget that the vendor accepts, in tokens. */
const leastBudget = 1024;

/** Converts ADK's settings to the vendor's. Thinking without a level or budget is `medium`. */
export function anthropicOptions({ thinkingConfig }: GenerateContentConfig): Partial<LanguageModelV4CallOptions> {
  const { thinkingBudget = 0, includeThoughts = false } = thinkingConfig ?? {};
  // With tool streaming, arguments need not be valid JSON; clients see calls only when they are complete.
  const own = { toolStreaming: false } satisfies AnthropicLanguageModelOptions;
  if (thinkingBudget > 0) {
    const budgetTokens = Math.max(leastBudget, thinkingBudget);
    return { providerOptions: { anthropic: { ...own, thinking: { type: 'enabled', budgetTokens } } } };
  }
  const wanted = includeThoughts || thinkingBudget < 0 ? 'medium' : undefined;
  const reasoning = toReasoning(thinkingConfig) ?? wanted;
  return { providerOptions: { anthropic: own }, ...(reasoning === undefined ? {} : { reasoning }) };
}

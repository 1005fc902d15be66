import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { ThinkingConfig } from '@google/genai';

type Reasoning = NonNullable<LanguageModelV4CallOptions['reasoning']>;

const levels: ReadonlyMap<string, Reasoning> = new Map([
  ['MINIMAL', 'minimal'],
  ['LOW', 'low'],
  ['MEDIUM', 'medium'],
  ['HIGH', 'high'],
]);

/** Largest thinking budget, in tokens, that maps to each level. */
const budgets: readonly (readonly [number, Reasoning])[] = [
  [0, 'none'],
  [1024, 'low'],
  [8192, 'medium'],
];

/** Thinking level for vendors that support only levels; undefined leaves it to the model. */
export function toReasoning({ thinkingLevel, thinkingBudget = -1 }: ThinkingConfig = {}): Reasoning | undefined {
  const level = levels.get(thinkingLevel?.toUpperCase() ?? '');
  if (level !== undefined || thinkingBudget < 0) return level;
  return budgets.find(([most]) => thinkingBudget <= most)?.[1] ?? 'high';
}

import type { TokenCounts } from '@agentmesh/lib/prices';
import type { CallEnd } from '../call-end.ts';

/**
 * Tokens of a call that has ended, as its provider charges them: results of tools that it ran are input, thoughts are output. A call that failed has
 * none, one that was left counts with its input. Undefined when the model answered and did not tell.
 */
export function callTokens({ usage, outcome }: CallEnd, estimatedInput: number): TokenCounts | undefined {
  if (usage === undefined && outcome === 'answered') return undefined;
  if (usage === undefined) return { input: outcome === 'left' ? estimatedInput : 0, cached: 0, output: 0 };
  const { promptTokenCount: prompt = 0, toolUsePromptTokenCount: ofTools = 0 } = usage;
  const {
    candidatesTokenCount: said = 0,
    thoughtsTokenCount: thought = 0,
    cachedContentTokenCount: cached = 0,
  } = usage;
  return { input: prompt + ofTools, cached, output: said + thought };
}

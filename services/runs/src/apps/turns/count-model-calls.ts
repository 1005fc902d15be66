import type { InvocationContext } from '@google/adk/core';

/** Counts model calls that the run has made before, so that ADK allows only the rest of `runConfig.maxLlmCalls`. */
export function countModelCalls(context: InvocationContext, earlier = 0): void {
  const most = context.runConfig?.maxLlmCalls ?? 0;
  for (let call = 0; call < Math.min(earlier, most); call++) context.incrementLlmCallCount();
}

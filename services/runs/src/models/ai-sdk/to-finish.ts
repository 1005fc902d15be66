import { FinishReason } from '@google/genai';
import type { Ending, Finish } from './ending.ts';

/** An unknown reason counts as the end of the answer when there is one: compatible servers have words of their own. */
export function toFinish({ reason: { unified }, hasContent }: Ending): Finish {
  if (unified === 'stop' || unified === 'tool-calls') return { finishReason: FinishReason.STOP };
  if (unified === 'length') return failed(FinishReason.MAX_TOKENS, 'The answer reached the limit of output tokens.');
  if (unified === 'content-filter') return failed(FinishReason.SAFETY, "The model's content filter ended the answer.");
  if (unified === 'other' && hasContent) return { finishReason: FinishReason.STOP };
  return failed(FinishReason.OTHER, 'The model ended without an answer.');
}

/** An answer that did not end well. */
export function failed(finishReason: FinishReason, errorMessage: string): Finish {
  return { finishReason, errorCode: finishReason, errorMessage };
}

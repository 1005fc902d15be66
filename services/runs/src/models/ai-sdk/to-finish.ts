import { FinishReason } from '@google/genai';
import type { Ending, Finish } from './ending.ts';

/** Compatible servers have their own finish reasons, so an unknown reason counts as a normal end if there is an answer. */
export function toFinish({ reason: { unified }, hasContent }: Ending): Finish {
  if (unified === 'stop' || unified === 'tool-calls') return { finishReason: FinishReason.STOP };
  if (unified === 'length') return failed(FinishReason.MAX_TOKENS, 'The answer reached the limit of output tokens.');
  if (unified === 'content-filter') return failed(FinishReason.SAFETY, "The model's content filter ended the answer.");
  if (unified === 'other' && hasContent) return { finishReason: FinishReason.STOP };
  return failed(FinishReason.OTHER, 'The model ended without an answer.');
}

/** An answer that did not end normally. */
export function failed(finishReason: FinishReason, errorMessage: string): Finish {
  return { finishReason, errorCode: finishReason, errorMessage };
}

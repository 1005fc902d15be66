import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { LlmResponse } from '@google/adk';
import { Answer } from './answer.ts';
import type { Watchdog } from './watchdog.ts';

/** One call of a model. */
export interface ModelCall {
  readonly languageModel: LanguageModelV4;
  readonly call: LanguageModelV4CallOptions;
  readonly watchdog: Watchdog;
  /** Whether the caller wants partial responses. */
  readonly stream: boolean;
}

/** Asks the model once; throws whatever goes wrong. */
export async function* streamOnce(call: ModelCall): AsyncGenerator<LlmResponse, void> {
  const answer = new Answer({ stream: call.stream });
  if (call.stream) yield* readStream(call, answer);
  else await readWhole(call, answer);
  yield answer.finish();
}

async function readWhole({ languageModel, call, watchdog }: ModelCall, answer: Answer): Promise<void> {
  const result = await languageModel.doGenerate({ ...call, abortSignal: watchdog.signal });
  answer.modelVersion = result.response?.modelId;
  for (const part of result.content) answer.addContent(part);
  answer.end(result.finishReason, result.usage);
}

async function* readStream(
  { languageModel, call, watchdog }: ModelCall,
  answer: Answer,
): AsyncGenerator<LlmResponse, void> {
  const { stream } = await languageModel.doStream({ ...call, abortSignal: watchdog.signal });
  for await (const part of stream) {
    watchdog.feed();
    const partial = take(part, answer);
    if (partial !== undefined) yield partial;
  }
}

function take(part: LanguageModelV4StreamPart, answer: Answer): LlmResponse | undefined {
  if (part.type === 'text-delta') return answer.addText(part.delta, false);
  if (part.type === 'reasoning-delta') return answer.addText(part.delta, true);
  if (part.type === 'tool-call') answer.addContent(part);
  else if (part.type === 'response-metadata') answer.modelVersion = part.modelId;
  else if (part.type === 'finish') answer.end(part.finishReason, part.usage);
  else if (part.type === 'error') throw part.error;
  return undefined;
}

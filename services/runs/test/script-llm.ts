import { BaseLlm, type BaseLlmConnection, type LlmRequest, type LlmResponse } from '@google/adk/core';

/** One model call: what it answers, or what it does. */
export type ScriptStep =
  | readonly LlmResponse[]
  | ((request: LlmRequest, signal?: AbortSignal) => AsyncIterable<LlmResponse>);

/** A model that answers each call with the next step of a script, and repeats the last step. */
export class ScriptLlm extends BaseLlm {
  readonly requests: LlmRequest[] = [];
  readonly #steps: readonly ScriptStep[];

  constructor(...steps: ScriptStep[]) {
    super({ model: 'script' });
    this.#steps = steps;
  }

  override async *generateContentAsync(
    request: LlmRequest,
    _stream?: boolean,
    signal?: AbortSignal,
  ): AsyncGenerator<LlmResponse, void> {
    const step = this.#steps[Math.min(this.requests.length, this.#steps.length - 1)] ?? [];
    this.requests.push(request);
    yield* typeof step === 'function' ? step(request, signal) : step;
  }

  override connect(): Promise<BaseLlmConnection> {
    return Promise.reject(new Error('no live connection'));
  }
}

export function says(text: string): LlmResponse[] {
  return [{ content: { role: 'model', parts: [{ text }] } }];
}

export function calls(name: string, args: Record<string, unknown> = {}): LlmResponse[] {
  return [{ content: { role: 'model', parts: [{ functionCall: { name, args } }] } }];
}

/** Streams partial pieces, then the whole response. */
export function streams(...pieces: string[]): LlmResponse[] {
  const chunks = pieces.map((text) => ({ content: { role: 'model', parts: [{ text }] }, partial: true }));
  return [...chunks, { content: { role: 'model', parts: [{ text: pieces.join('') }] }, partial: false }];
}

/** Sends nothing until it is aborted. */
export async function* hangs(_: LlmRequest, signal?: AbortSignal): AsyncIterable<LlmResponse> {
  await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
  yield* [];
}

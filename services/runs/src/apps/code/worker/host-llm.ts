import { BaseLlm, type BaseLlmConnection, type LlmRequest, type LlmResponse } from '@google/adk/core';
import type { Channel } from './channel.ts';
import { requireRun } from './current-run.ts';

/** A model that the host asks: its keys and limits are there. Fails outside of a run. */
export class HostLlm extends BaseLlm {
  readonly #channel: Channel;
  readonly #mostRetries: number | undefined;

  constructor(model: string, channel: Channel, mostRetries?: number) {
    super({ model });
    this.#channel = channel;
    this.#mostRetries = mostRetries;
  }

  override async *generateContentAsync(
    request: LlmRequest,
    stream = false,
    signal?: AbortSignal,
  ): AsyncGenerator<LlmResponse, void> {
    const run = requireRun('A model can be called');
    const { abortSignal: _, ...config } = request.config ?? {};
    const retries = this.#mostRetries === undefined ? {} : { mostRetries: this.#mostRetries };
    const call = { to: 'model', model: this.model, contents: request.contents, config, stream, ...retries } as const;
    yield* this.#channel.stream(call, { run, signal }) as AsyncGenerator<LlmResponse, void>;
  }

  override connect(): Promise<BaseLlmConnection> {
    return Promise.reject(new Error(`The model "${this.model}" has no live connection.`));
  }
}

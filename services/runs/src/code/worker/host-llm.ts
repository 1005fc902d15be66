import { AsyncLocalStorage } from 'node:async_hooks';
import { BaseLlm, type BaseLlmConnection, type LlmRequest, type LlmResponse } from '@google/adk';
import { Wake } from '@agentmesh/lib/wait';
import type { Channel } from './channel.ts';

/** The run whose code is executed. */
export const currentRun = new AsyncLocalStorage<number>();

/** A model that the host asks: its keys and limits are there. Fails outside of a run. */
export class HostLlm extends BaseLlm {
  readonly #channel: Channel;

  constructor(model: string, channel: Channel) {
    super({ model });
    this.#channel = channel;
  }

  override async *generateContentAsync(
    request: LlmRequest,
    stream = false,
    signal?: AbortSignal,
  ): AsyncGenerator<LlmResponse, void> {
    const run = currentRun.getStore();
    if (run === undefined) throw new Error('A model can be called only during a run.');
    const { abortSignal: _, ...config } = request.config ?? {};
    const responses: LlmResponse[] = [];
    const wake = new Wake();
    const onChunk = (response: LlmResponse): void => {
      responses.push(response);
      wake.wake();
    };
    const call = { to: 'model', model: this.model, contents: request.contents, config, stream } as const;
    let isOver = false;
    const asked = this.#channel.ask(call, { run, signal, onChunk }).finally(() => {
      isOver = true;
      wake.wake();
    });
    // Awaited below; it must not count as unhandled before.
    asked.catch(() => undefined);
    for (;;) {
      for (const response of responses.splice(0)) yield response;
      if (isOver && responses.length === 0) break;
      await wake.wait();
    }
    await asked;
  }

  override connect(): Promise<BaseLlmConnection> {
    return Promise.reject(new Error(`The model "${this.model}" has no live connection.`));
  }
}

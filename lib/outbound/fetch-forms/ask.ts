import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { AnswerBody } from './answer-body.ts';
import type { ApiRequest } from './to-request.ts';
import { boundNextAnswer, type WireBound } from './wire-bound.ts';

export interface Answer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: AnswerBody;
}

/**
 * Sends a request, and resolves when its answer has begun. It rejects with the reason of the signal as soon as that aborts, also while there is no connection: undici's
 * own `request` waits for one.
 */
export function ask(dispatcher: Dispatcher, request: ApiRequest): Promise<Answer> {
  const { url, method, headers, body, signal } = request;
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const asking = new Asking(signal, { resolve, reject });
    dispatcher.dispatch({ origin: url.origin, path: url.pathname + url.search, method, headers, body }, asking);
  });
}

interface Settle {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: unknown) => void;
}

class Asking implements Dispatcher.DispatchHandler {
  readonly #signal: AbortSignal | null;
  readonly #settle: Settle;
  #controller: Dispatcher.DispatchController | undefined;
  #body: AnswerBody | undefined;
  #bound: WireBound | undefined;

  constructor(signal: AbortSignal | null, settle: Settle) {
    this.#signal = signal;
    this.#settle = settle;
    signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  readonly #onAbort = (): void => {
    const reason: unknown = this.#signal?.reason;
    this.#settle.reject(reason);
    const error = reason instanceof Error ? reason : new Error('aborted', { cause: reason });
    if (this.#body !== undefined) this.#body.destroy(error);
    else this.#controller?.abort(error);
  };

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#signal?.aborted === true) this.#onAbort();
    else this.#bound = boundNextAnswer();
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
    statusText = '',
  ): void {
    // An answer before the final one, e.g. 103. `WireBound` bounds them.
    if (status < 200) return;
    const body = new AnswerBody(controller);
    body.once('close', () => this.#leaveSignal());
    this.#body = body;
    this.#settle.resolve({ status, statusText, headers, body });
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bound?.arrive(chunk.length);
    this.#body?.arrive(chunk);
  }

  onResponseEnd(): void {
    this.#body?.finish();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#leaveSignal();
    this.#settle.reject(error);
    this.#body?.fail(error);
  }

  #leaveSignal(): void {
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }
}

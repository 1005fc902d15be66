import { Readable } from 'node:stream';
import { readAnswer } from '@agentmesh/lib/outbound';
import { Lazy } from '@agentmesh/lib/wait';
import { serverFailed, serverTimeout } from '../errors.ts';
import type { UpstreamRequest } from './dialect.ts';

const connectTimeoutMs = 10_000;

export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Undefined when the body is not JSON. */
  readonly json: unknown;
}

export interface Sender extends AsyncDisposable {
  /** Sends a request and reads its answer. `signal` aborts both. */
  send(request: UpstreamRequest, signal: AbortSignal): Promise<UpstreamAnswer>;
}

/**
 * Sends requests whose bodies are made while they are sent, at the pace of the server. Throws `transcription_timeout` when the
 * server takes nothing for `patienceMs`, or when its whole answer has not come `patienceMs` after the end of the body; waiting for
 * the next piece of a body does not count. An answer that begins before the end of the body has as long, from its beginning on; if its
 * status is 2xx, it cannot be about the whole body, and `transcription_failed` is thrown. This is also thrown when the server cannot be
 * reached or breaks off. Throws what making the body throws, and the reason of the signal. Redirects are not followed: they would carry
 * the key to another server.
 */
export function createSender(patienceMs: number): Sender {
  const client = new Lazy(openClient, ({ dispatcher }) => dispatcher.destroy());
  return {
    send: async ({ url, headers, body }, signal) => {
      const call = new Call(patienceMs);
      const either = AbortSignal.any([signal, call.signal]);
      try {
        const { request, dispatcher } = await client.get();
        const sent = Readable.from(call.passOn(body), { objectMode: false, highWaterMark: 1 });
        const options = { method: 'POST', headers, body: sent, signal: either, dispatcher } as const;
        const { statusCode: status, headers: answered, body: answer } = await request(url, options);
        call.expectAnswer(status);
        return { status, headers: answered, json: parseJson((await readAnswer(answer)).toString()) };
      } catch (error) {
        signal.throwIfAborted();
        throw call.signal.aborted ? call.signal.reason : serverFailed(error);
      } finally {
        call.end();
      }
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

/** undici is loaded with the first call. The time is watched here, so that a slow client is not taken for a slow server. */
async function openClient() {
  const { Agent, request } = await import('undici');
  const connect = { timeout: connectTimeoutMs };
  return { request, dispatcher: new Agent({ connect, headersTimeout: 0, bodyTimeout: 0, allowH2: false }) };
}

/** Monitors one call: the step that it waits for, and the reason to abort it. */
class Call {
  readonly #patienceMs: number;
  readonly #givenUp = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #isBodyWhole = false;
  /** The deadline of the answer is set, and does not move any more. */
  #isAnswerDue = false;

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  get signal(): AbortSignal {
    return this.#givenUp.signal;
  }

  /** Yields the body of the request. The next piece is read only when the server has accepted the one before. */
  async *passOn(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
    try {
      for await (const piece of body) {
        this.#waitForServer();
        yield piece;
        this.#waitForClient();
      }
      this.#isBodyWhole = true;
      this.#dueAnswer();
    } catch (error) {
      this.#givenUp.abort(error);
      throw error;
    }
  }

  /** Starts the deadline of an answer that has begun. Throws if its status is 2xx and the body has not ended. */
  expectAnswer(status: number): void {
    if (!this.#isBodyWhole && status >= 200 && status <= 299) {
      const early = new Error(`The server answered ${status} before the recording had ended.`);
      this.#givenUp.abort(serverFailed(early));
      throw early;
    }
    this.#dueAnswer();
  }

  /** Stops all timers. A body that is still being read starts none. */
  end(): void {
    clearTimeout(this.#timer);
    this.#isAnswerDue = true;
  }

  #waitForServer(): void {
    if (!this.#isAnswerDue) this.#startTimer();
  }

  #waitForClient(): void {
    if (!this.#isAnswerDue) clearTimeout(this.#timer);
  }

  #dueAnswer(): void {
    this.#waitForServer();
    this.#isAnswerDue = true;
  }

  #startTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#givenUp.abort(serverTimeout()), this.#patienceMs);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

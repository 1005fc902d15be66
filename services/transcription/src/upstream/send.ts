import { Readable } from 'node:stream';
import { Agent, request } from 'undici';
import { serverFailed, serverTimeout } from '../errors.ts';
import type { UpstreamRequest } from './dialect.ts';

/** Most bytes of an answer: an hour of speech in the long form takes about one megabyte. */
const maxAnswerBytes = 8 * 1024 * 1024;
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
 * server takes nothing and answers nothing for `silenceMs`; waiting for the next piece of a body does not count. Throws
 * `transcription_failed` when the server cannot be reached or breaks off, what making the body throws, and the reason of the
 * signal. Redirects are not followed: they would carry the key to another server.
 */
export function createSender(silenceMs: number): Sender {
  // Silence is watched here, so that a slow client is not taken for a slow server.
  const agent = new Agent({
    connect: { timeout: connectTimeoutMs },
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
  });
  return {
    send: async ({ url, headers, body }, signal) => {
      const call = new Call(silenceMs);
      const either = AbortSignal.any([signal, call.signal]);
      try {
        call.watch();
        const sent = Readable.from(call.passOn(body), { objectMode: false, highWaterMark: 1 });
        const options = { method: 'POST', headers, body: sent, signal: either, dispatcher: agent } as const;
        const { statusCode: status, headers: answered, body: answer } = await request(url, options);
        return { status, headers: answered, json: parseJson(await call.read(answer)) };
      } catch (error) {
        signal.throwIfAborted();
        throw call.signal.aborted ? call.signal.reason : serverFailed(error);
      } finally {
        call.rest();
      }
    },
    [Symbol.asyncDispose]: () => agent.destroy(),
  };
}

/** Monitors one call: the step that it waits for, and the reason to abort it. */
class Call {
  readonly #silenceMs: number;
  readonly #givenUp = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(silenceMs: number) {
    this.#silenceMs = silenceMs;
  }

  get signal(): AbortSignal {
    return this.#givenUp.signal;
  }

  /** From now on the server is waited for. */
  watch(): void {
    this.rest();
    this.#timer = setTimeout(() => this.#givenUp.abort(serverTimeout()), this.#silenceMs);
  }

  /** From now on the server is not waited for. */
  rest(): void {
    clearTimeout(this.#timer);
  }

  /** Yields the body of the request. The next piece is read only when the server has accepted the one before. */
  async *passOn(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
    try {
      this.rest();
      for await (const piece of body) {
        this.watch();
        yield piece;
        this.rest();
      }
      this.watch();
    } catch (error) {
      this.#givenUp.abort(error);
      throw error;
    }
  }

  async read(answer: AsyncIterable<Uint8Array>): Promise<string> {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of answer) {
      this.watch();
      bytes += chunk.byteLength;
      if (bytes > maxAnswerBytes) throw new Error(`The answer is larger than ${maxAnswerBytes} bytes.`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString();
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

import { AgentMeshError, ConnectionError } from '../errors.ts';
import { answerError } from './answer-error.ts';
import { backoffMs, pause } from './backoff.ts';
import { type Call, queryOf, type Sendable } from './call.ts';
import type { Credentials } from './credentials.ts';
import { createDeadline, type Deadline } from './deadline.ts';
import { hasUnknownOutcome, isPassing } from './is-passing.ts';
import { newKey } from './new-key.ts';

export interface TransportOptions {
  /** Address of the server, without a slash at the end. */
  readonly url: string;
  readonly credentials: Credentials;
  readonly fetch: typeof fetch;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether cookies are sent, as `fetch` takes it. */
  readonly cookies: 'omit' | 'same-origin' | 'include';
  /** How often a request is sent at most. */
  readonly tries: number;
  /** Longest wait for an answer, and longest silence of a stream, in milliseconds. */
  readonly timeoutMs: number;
  /** Longest pause before the second try; it doubles with each further one. */
  readonly backoffMs: number;
}

/** Longest `Retry-After` that is waited for, in seconds. A longer one becomes an error that tells it. */
const mostRetryAfter = 60;
/** The server gives up an upload after an hour too. */
const longestUploadMs = 3_600_000;
const keyed = new Set(['POST', 'PATCH']);

/** Reads an answer. It runs within the time limit of the request. */
export type Read<T> = (response: Response, deadline: Deadline) => Promise<T>;

/** Sends requests, again where that is safe and of use, and turns answers into values and errors. */
export class Transport {
  readonly options: TransportOptions;

  constructor(options: TransportOptions) {
    this.options = options;
  }

  /** The body of an answer as JSON; undefined for an empty one. */
  json<T>(call: Call): Promise<T> {
    return this.send(call, async (response) => parse(await response.text()) as T);
  }

  /** The answer itself, whose body can be read as a stream. */
  open(call: Call): Promise<Response> {
    return this.send(call, (response) => Promise.resolve(response), true);
  }

  /**
   * Sends a request until it succeeds: again after a broken connection and after an answer that may pass, with the same `Idempotency-Key`, and
   * with another token after a 401. With `isOpen` the time limit ends with the headers, and what is read later belongs to the caller.
   */
  async send<T>(call: Call, read: Read<T>, isOpen = false): Promise<T> {
    const key = call.idempotencyKey ?? (keyed.has(call.method ?? 'GET') ? newKey() : undefined);
    let token = await this.options.credentials.token();
    let [isRenewed, mayBeDone] = [false, false];
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#try({ ...call, idempotencyKey: key }, { token, read, isOpen, mayBeDone });
      } catch (error) {
        if (!(error instanceof AgentMeshError)) throw error;
        if (error.status === 401 && !isRenewed && !isOnce(call)) token = await this.#renew(token, error);
        else await this.#awaitNext(call, error, attempt);
        isRenewed ||= error.status === 401;
        mayBeDone ||= hasUnknownOutcome(error);
      }
    }
  }

  /** A token in place of the refused one. Throws the refusal when there is none. */
  async #renew(refused: string | undefined, refusal: AgentMeshError): Promise<string> {
    const token = await this.options.credentials.replace(refused);
    if (token === undefined) throw refusal;
    return token;
  }

  /** Waits for the next try; throws when there is none. */
  async #awaitNext(call: Call, error: AgentMeshError, attempt: number): Promise<void> {
    const { tries, backoffMs: baseMs } = this.options;
    const { retryAfter = 0 } = error;
    if (!isPassing(error) || attempt >= tries || isOnce(call) || retryAfter > mostRetryAfter) throw error;
    await pause(retryAfter * 1000 + backoffMs(attempt, baseMs), call.signal);
  }

  async #try<T>(call: Call, { token, read, isOpen, mayBeDone }: Attempt<T>): Promise<T> {
    const silenceMs = call.upload === undefined ? this.options.timeoutMs : longestUploadMs;
    const deadline = createDeadline(silenceMs, call.signal);
    let isHeld = false;
    try {
      deadline.hear();
      const response = await this.#fetch(call, token, deadline.signal);
      // An earlier try has deleted it, and its answer was lost.
      if (response.status === 404 && call.method === 'DELETE' && mayBeDone) return undefined as T;
      if (!response.ok) throw await answerError(response);
      const value = await read(response, deadline);
      isHeld = isOpen;
      return value;
    } catch (error) {
      throw deadline.explain(error);
    } finally {
      if (isHeld) deadline.rest();
      else deadline.end();
    }
  }

  async #fetch(call: Call, token: string | undefined, signal: AbortSignal): Promise<Response> {
    const { url, fetch: send, headers, cookies } = this.options;
    const { method = 'GET', path, query, body, upload } = call;
    const payload = await (typeof upload === 'function' ? upload() : (upload ?? jsonOf(body)));
    return send(`${url}${path}${queryOf(query)}`, {
      method,
      headers: headersOf({ ...headers, ...call.headers }, call, token),
      credentials: cookies,
      // A POST that is followed may become a GET, whose answer is not that of the POST.
      redirect: 'manual',
      signal,
      ...(payload !== undefined && { body: payload }),
      // Node asks for it where the body is a stream.
      ...(payload instanceof ReadableStream && { duplex: 'half' }),
    });
  }
}

interface Attempt<T> {
  readonly token: string | undefined;
  readonly read: Read<T>;
  readonly isOpen: boolean;
  /** Whether an earlier try may have had its effect. */
  readonly mayBeDone: boolean;
}

/** Whether a second try would do harm: a stream is read once, and a change of what must be unchanged would refuse itself. */
function isOnce({ upload, headers, method = 'GET' }: Call): boolean {
  return upload instanceof ReadableStream || (headers?.['if-match'] !== undefined && !keyed.has(method));
}

function headersOf(given: NonNullable<Call['headers']>, call: Call, token: string | undefined): Record<string, string> {
  const headers = {
    ...(call.body !== undefined && { 'content-type': 'application/json' }),
    ...(call.idempotencyKey !== undefined && { 'idempotency-key': call.idempotencyKey }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...given,
  };
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

function jsonOf(body: unknown): Sendable | undefined {
  return body === undefined ? undefined : JSON.stringify(body);
}

function parse(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConnectionError('The answer is no whole JSON.', error);
  }
}

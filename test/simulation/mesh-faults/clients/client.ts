import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../../caller.ts';
import type { Story } from './story.ts';
import type { Tally } from './tally.ts';

/** A request without an answer for so long hangs. */
const hangingMs = 60_000;
/** A request without a certain answer for so long is given up. */
const patienceMs = 90_000;
const retryMs = 200;
/** Part of the keyed requests that are sent again after their answer. */
const repeated = 0.1;

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  /** `Idempotency-Key`. */
  readonly key?: string;
}

/** Status 0: the connection broke before the answer had come. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Headers;
}

/** Times as `performance.now()`. */
export interface Timed {
  readonly startedAt: number;
  readonly endedAt: number;
}

export interface ClientOptions {
  readonly caller: Caller;
  /** Addresses of gateways; each request goes to any of them. */
  readonly urls: readonly string[];
  /** Numbers from 0 to 1. */
  readonly random: () => number;
  readonly tally: Tally;
  /** Aborted when nothing new is to be begun. */
  readonly over: AbortSignal;
  /** Gets the times of all requests. */
  readonly times?: Timed[];
}

/** A client that goes on while things break: it repeats what may be repeated, and notes what it was told. */
export class Client {
  readonly caller: Caller;
  readonly random: () => number;
  readonly tally: Tally;
  readonly over: AbortSignal;
  readonly #urls: readonly string[];
  readonly #times: Timed[] | undefined;

  constructor({ caller, urls, random, tally, over, times }: ClientOptions) {
    this.caller = caller;
    this.random = random;
    this.tally = tally;
    this.over = over;
    this.#urls = urls;
    this.#times = times;
  }

  /** Address of any gateway. */
  get url(): string {
    return this.pick(this.#urls);
  }

  /** A whole number from 0, below `limit`. */
  below(limit: number): number {
    return Math.floor(this.random() * limit);
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }

  /** Waits for up to `longestMs`, less when nothing new is to be begun. */
  async pause(longestMs: number): Promise<void> {
    await sleep(this.random() * longestMs, undefined, { signal: this.over }).catch(() => undefined);
  }

  /** Sends a request once. */
  async send({ method, path, body, key }: Request, story: Story): Promise<Answer> {
    const startedAt = performance.now();
    const signal = AbortSignal.timeout(hangingMs);
    const headers = {
      authorization: `Bearer ${this.caller.token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    };
    let answer: Answer = { status: 0, body: undefined };
    try {
      const init = { method, headers, signal, ...(body !== undefined && { body: JSON.stringify(body) }) };
      const response = await fetch(this.url + path, init);
      answer = { status: response.status, headers: response.headers, body: parsed(await response.text()) };
    } catch {
      if (signal.aborted) this.tally.violate(story, `${method} ${path} hung`);
    }
    this.#times?.push({ startedAt, endedAt: performance.now() });
    this.tally.answered(answer.status);
    this.#note({ method, path, ...(key !== undefined && { key }) }, answer, story);
    return answer;
  }

  #note({ method, path, key }: Request, { status, body }: Answer, story: Story): void {
    const code = status >= 400 ? ` ${JSON.stringify(body)?.slice(0, 300)}` : '';
    story.note(`${method} ${path}${key === undefined ? '' : ` key ${key}`}: ${status}${code}`);
    if (status === 500) this.tally.violate(story, `${method} ${path} was answered 500`);
  }

  /**
   * Repeats a request until the status of its answer is one of `certain`. Undefined, and a violation, after a minute and a half of others, or at once
   * after one that says that the request is wrong.
   */
  async until(request: Request, certain: readonly number[], story: Story): Promise<Answer | undefined> {
    const giveUpAt = performance.now() + patienceMs;
    while (performance.now() < giveUpAt) {
      const answer = await this.send(request, story);
      if (certain.includes(answer.status)) return answer;
      if ([400, 403, 404, 422].includes(answer.status)) break;
      await sleep(retryMs);
    }
    this.tally.violate(story, `${request.method} ${request.path} got no answer of ${certain.join(' or ')}`);
    return undefined;
  }

  /** Like `until`, with an `Idempotency-Key`. Some requests are sent once more afterwards: their answers must be the same, as `same` sees them. */
  async once(
    request: Request,
    { certain, story, same }: { certain: readonly number[]; story: Story; same: (body: unknown) => unknown },
  ): Promise<Answer | undefined> {
    const keyed = { ...request, key: randomUUID() };
    const answer = await this.until(keyed, certain, story);
    if (answer === undefined) return undefined;
    this.tally.count('acknowledged writes');
    if (answer.status >= 300 || this.random() >= repeated) return answer;
    const again = await this.until(keyed, certain, story);
    this.tally.count('repetitions with a key');
    const isSame = again === undefined || isDeepStrictEqual(same(again.body), same(answer.body));
    if (!isSame) this.tally.violate(story, `${request.method} ${request.path} was answered otherwise when repeated`);
    if (again !== undefined && again.headers?.get('idempotency-replayed') !== 'true')
      this.tally.violate(story, `${request.method} ${request.path} was done again when repeated`);
    return answer;
  }
}

function parsed(text: string): unknown {
  return text === '' ? undefined : JSON.parse(text);
}

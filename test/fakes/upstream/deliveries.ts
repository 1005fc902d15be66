import type { VirtualClock } from './virtual-clock.ts';

/** Answer of a receiver. There is none when it could not be reached or did not answer in time. */
export interface Answered {
  readonly status: number;
  readonly body: string;
  readonly contentType: string;
}

export interface Push {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  /** Longest wait for the answer, in real milliseconds. */
  readonly timeoutMs: number;
}

/** Posts once. */
export async function push({ url, headers = {}, body, timeoutMs }: Push): Promise<Answered | undefined> {
  try {
    const init = { method: 'POST', headers, body, signal: AbortSignal.timeout(timeoutMs), redirect: 'manual' as const };
    const response = await fetch(url, init);
    const contentType = response.headers.get('content-type') ?? '';
    return { status: response.status, body: await response.text(), contentType };
  } catch {
    return undefined;
  }
}

export interface DeliveryRules {
  readonly accepts: (answer: Answered | undefined) => boolean;
  /** Pause before attempt `number`, from 2. */
  readonly pauseMs: (number: number) => number;
  /** Time from the first attempt after which a message is lost. */
  readonly lostAfterMs: number;
}

/** Pushes messages until the receiver accepts them, by the virtual clock. */
export class Deliveries {
  readonly #clock: VirtualClock;
  readonly #rules: DeliveryRules;
  readonly #underWay = new Set<Promise<void>>();
  /** Answers of all attempts, oldest first. */
  readonly attempts: { readonly push: Push; readonly answer: Answered | undefined }[] = [];
  /** Messages that were given up. */
  readonly lost: Push[] = [];

  constructor(clock: VirtualClock, rules: DeliveryRules) {
    this.#clock = clock;
    this.#rules = rules;
  }

  /** Begins to deliver. `make` is called for each attempt. */
  start(make: () => Push): void {
    void this.#track(this.#attempt(make, { number: 1, since: this.#clock.now().getTime() }));
  }

  /** Resolves when no attempt is under way. Attempts that wait for the clock do not count. */
  async settle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  reset(): void {
    this.attempts.length = 0;
    this.lost.length = 0;
  }

  async #attempt(make: () => Push, { number, since }: { number: number; since: number }): Promise<void> {
    const made = make();
    const answer = await push(made);
    this.attempts.push({ push: made, answer });
    if (this.#rules.accepts(answer)) return;
    const pauseMs = this.#rules.pauseMs(number + 1);
    if (this.#clock.now().getTime() + pauseMs - since > this.#rules.lostAfterMs) return void this.lost.push(made);
    this.#clock.after(pauseMs, () => this.#track(this.#attempt(make, { number: number + 1, since })));
  }

  #track(attempt: Promise<void>): Promise<void> {
    const tracked = attempt.finally(() => this.#underWay.delete(tracked));
    this.#underWay.add(tracked);
    return tracked;
  }
}

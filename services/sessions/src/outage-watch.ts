/** Outages that are shorter than the lease minus this cost no lease, because executors renew every three seconds. */
const renewalMs = 6_500;
const shortestMs = 3_000;
/** Time in which executors that are alive extend leases that expired while no process of sessions was there. */
const startMs = 4_000;

interface OutageWatchOptions {
  readonly leaseSeconds: number;
  /** Seconds since a process of sessions has looked for dead executors, when this one starts; absent: none has yet. */
  readonly awaySeconds?: number | undefined;
}

/**
 * Notes outages of the database that this process sees, also its own pauses, on a monotonic clock. After an outage leases have expired whose owners are alive and
 * could not renew them. So for one lease nobody can say which executors are gone. The same is true for some seconds when no process of sessions was there for as long.
 */
export class OutageWatch {
  readonly #leaseMs: number;
  readonly #now: () => number;
  /** No process was there before this one, which has not looked yet. */
  #wasAway: boolean;
  /** Undefined before the first look: the start of the process is no outage, however long it takes. */
  #answeredAt: number | undefined;
  #graceEndsAt = -Infinity;

  constructor({ leaseSeconds, awaySeconds = 0 }: OutageWatchOptions, now = () => performance.now()) {
    this.#leaseMs = leaseSeconds * 1_000;
    this.#now = now;
    this.#wasAway = awaySeconds * 1_000 > this.#mostMs;
  }

  /** Whether an expired lease means that its owner is gone: there is no outage, and the last one ended more than a lease ago. */
  get isCalm(): boolean {
    return !this.#wasAway && !this.#isOut() && this.#now() >= this.#graceEndsAt;
  }

  /** Notes when the database has answered a question. To be called every second or two. */
  async look<T>(ask: () => Promise<T>): Promise<T> {
    this.#answeredAt ??= this.#now();
    const answer = await ask();
    if (this.#isOut()) this.#graceEndsAt = this.#now() + this.#leaseMs;
    else if (this.#wasAway) this.#graceEndsAt = this.#now() + Math.min(startMs, this.#leaseMs);
    this.#wasAway = false;
    this.#answeredAt = this.#now();
    return answer;
  }

  #isOut(): boolean {
    const now = this.#now();
    return now - (this.#answeredAt ?? now) > this.#mostMs;
  }

  /** A longer outage may cost leases. */
  get #mostMs(): number {
    return Math.max(shortestMs, this.#leaseMs - renewalMs);
  }
}

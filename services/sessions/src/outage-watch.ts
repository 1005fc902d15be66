/** Outages that are shorter than the lease minus this cost no lease, because executors renew every three seconds. */
const renewalMs = 6_500;
const shortestMs = 3_000;

/**
 * Notes outages of the database that this process sees, also its own pauses, on a monotonic clock. After an outage leases have expired whose owners are alive and
 * could not renew them. So for one lease nobody can say which executors are gone.
 */
export class OutageWatch {
  readonly #leaseMs: number;
  readonly #now: () => number;
  /** Undefined before the first look: the start of the process is no outage, however long it takes. */
  #answeredAt: number | undefined;
  #graceEndsAt = -Infinity;

  constructor({ leaseSeconds }: { readonly leaseSeconds: number }, now = () => performance.now()) {
    this.#leaseMs = leaseSeconds * 1_000;
    this.#now = now;
  }

  /** Whether an expired lease means that its owner is gone: there is no outage, and the last one ended more than a lease ago. */
  get isCalm(): boolean {
    return !this.#isOut() && this.#now() >= this.#graceEndsAt;
  }

  /** Notes when the database has answered a question. To be called every second. */
  async look<T>(ask: () => Promise<T>): Promise<T> {
    this.#answeredAt ??= this.#now();
    const answer = await ask();
    if (this.#isOut()) this.#graceEndsAt = this.#now() + this.#leaseMs;
    this.#answeredAt = this.#now();
    return answer;
  }

  #isOut(): boolean {
    const now = this.#now();
    return now - (this.#answeredAt ?? now) > Math.max(shortestMs, this.#leaseMs - renewalMs);
  }
}

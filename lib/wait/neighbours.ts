/** Time in milliseconds for which one that was seen counts as present. */
const seenMs = 1_000;

/** Tells those that are alone from those beside others, without a list of them: it knows the one that was seen last, and when another was. */
export class Neighbours {
  #latest = '';
  #latestAtMs = -Infinity;
  #otherAtMs = -Infinity;

  /** Sees one, at a time of `performance.now()`. */
  see(name: string, nowMs: number): void {
    if (this.#latest !== name) this.#otherAtMs = this.#latestAtMs;
    [this.#latest, this.#latestAtMs] = [name, nowMs];
  }

  /** True when another one than `name` was seen in the last second. */
  hasOther(name: string, nowMs: number): boolean {
    return nowMs - (this.#latest === name ? this.#otherAtMs : this.#latestAtMs) < seenMs;
  }
}

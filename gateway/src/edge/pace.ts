import { LRUCache } from 'lru-cache';

/** Bytes that a JSON value counts as, because counting and parsing it takes as long as reading them. */
export const bytesOfValue = 32;

export interface PaceOptions {
  readonly bytesPerSecond: number;
  /** Bytes that may come at once after a pause. */
  readonly burstBytes: number;
}

/** Limits bytes per second, by the generic cell rate algorithm. */
export class Pace {
  readonly #bytesPerMs: number;
  readonly #burstMs: number;
  readonly #now: () => number;
  /** Time at which all bytes so far have been paid for. */
  #paidAt = 0;

  constructor({ bytesPerSecond, burstBytes }: PaceOptions, now: () => number = () => performance.now()) {
    this.#bytesPerMs = bytesPerSecond / 1000;
    this.#burstMs = burstBytes / this.#bytesPerMs;
    this.#now = now;
  }

  /** Counts bytes that have come. Returns the milliseconds to wait before the next ones; 0: go on. */
  take(bytes: number): number {
    const now = this.#now();
    this.#paidAt = Math.max(this.#paidAt, now) + bytes / this.#bytesPerMs;
    return Math.max(0, Math.ceil(this.#paidAt - this.#burstMs - now));
  }
}

const rememberedKeys = 10_000;

/** A pace for each key, e.g. for each account. Those that were not used for the longest time are forgotten. */
export function createPaces(options: PaceOptions): (key: string) => Pace {
  const paces = new LRUCache<string, Pace>({ max: rememberedKeys, memoMethod: () => new Pace(options) });
  return (key) => paces.memo(key);
}

export interface SlowWork {
  /** Told again and again for how many seconds the work lasts. */
  readonly tell: (seconds: number) => void;
  /** Ends the work, which has lasted for so many minutes. */
  readonly giveUp: (minutes: number) => void;
  /** Time between two calls of `tell`; 15 s by default. */
  readonly tellMs?: number;
  /** Time until `giveUp` is called; 30 minutes by default. */
  readonly mostMs?: number;
}

/** Tells while a work takes long, and ends it when it takes too long. Returns the function to call when the work is done. */
export function watchSlowWork(work: SlowWork): () => void;

/** How often something may happen: `burst` times at once, and `perHour` times an hour in the long run. */
export interface Bucket {
  readonly key: string;
  readonly burst: number;
  readonly perHour: number;
}

/** What came of taking one from a bucket. */
export interface Verdict {
  readonly isAllowed: boolean;
  /** The bucket's size. */
  readonly limit: number;
  /** How many may be taken now. */
  readonly remaining: number;
  /** Seconds until the bucket is full. */
  readonly resetSeconds: number;
  /** Seconds until one may be taken; 0 where one may be now. */
  readonly retryAfterSeconds: number;
}

/** Milliseconds that one takes to come back. */
export function intervalOf({ perHour }: Bucket): number {
  return Math.max(1, Math.round(3_600_000 / perHour));
}

/**
 * The verdict of the generic cell rate algorithm, which needs one number a bucket: its debt, the milliseconds until it is full
 * again. `debt` is that after one was taken, or, when none was, as it stands.
 */
export function verdictOf(bucket: Bucket, { isAllowed, debt }: { isAllowed: boolean; debt: number }): Verdict {
  const interval = intervalOf(bucket);
  const room = bucket.burst * interval - debt;
  const remaining = Math.max(0, Math.floor(room / interval));
  return {
    isAllowed,
    limit: bucket.burst,
    remaining,
    resetSeconds: Math.ceil(debt / 1000),
    retryAfterSeconds: remaining > 0 ? 0 : Math.max(1, Math.ceil((interval - room) / 1000)),
  };
}

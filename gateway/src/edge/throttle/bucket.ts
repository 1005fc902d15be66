/** A limit: `burst` times at once, and `perHour` times an hour in the long run. */
export interface Bucket {
  readonly key: string;
  readonly burst: number;
  readonly perHour: number;
}

/** Outcome of taking one unit from a bucket: a request, a failure or a mail, as its limit counts. */
export interface Verdict {
  readonly isAllowed: boolean;
  /** Size of the bucket. */
  readonly limit: number;
  /** Number that can be taken now. */
  readonly remaining: number;
  /** Seconds until the bucket is full. */
  readonly resetSeconds: number;
  /** Seconds until one can be taken; 0 if one can be taken now. */
  readonly retryAfterSeconds: number;
}

/** Milliseconds after which the bucket gains one. */
export function intervalOf({ perHour }: Bucket): number {
  return Math.max(1, Math.round(3_600_000 / perHour));
}

/**
 * Verdict of the generic cell rate algorithm. It stores one number per bucket, the debt: milliseconds until the bucket is full.
 * Pass the debt after taking, or the present debt if nothing was taken.
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

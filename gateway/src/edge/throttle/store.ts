import type { Bucket, Verdict } from './bucket.ts';

/** Storage of buckets. */
export interface BucketStore {
  /** Takes one unit, if there is one left. */
  take(bucket: Bucket): Promise<Verdict>;
  /** Puts one unit back. */
  giveBack(bucket: Bucket): Promise<void>;
}

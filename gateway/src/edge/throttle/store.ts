import type { Bucket, Verdict } from './bucket.ts';

/** Storage of buckets. */
export interface BucketStore {
  /** Takes one, if there is one left. */
  take(bucket: Bucket): Promise<Verdict>;
  /** Puts back one that was taken. */
  giveBack(bucket: Bucket): Promise<void>;
}

import type { Bucket, Verdict } from './bucket.ts';

/** Where buckets are kept. */
export interface BucketStore {
  /** Takes one, if there is one. */
  take(bucket: Bucket): Promise<Verdict>;
  /** Puts one back that was taken. */
  giveBack(bucket: Bucket): Promise<void>;
}

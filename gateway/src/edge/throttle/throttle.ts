import type { Logger } from '@agentmesh/lib/telemetry';
import type { Bucket, Verdict } from './bucket.ts';
import { createMemoryStore } from './memory-store.ts';
import { openRedisStore } from './redis-store.ts';
import type { BucketStore } from './store.ts';

/** Counts what must not happen too often. */
export interface Throttle {
  /**
   * Takes one from each bucket, or from none when one of them is empty. The verdict is of the bucket that has least left. Never
   * rejects.
   */
  take(buckets: readonly Bucket[]): Promise<Verdict>;
  /** Puts back what was taken. Never rejects. */
  giveBack(buckets: readonly Bucket[]): Promise<void>;
}

export interface ThrottleOptions {
  /** Buckets are then shared by all gateways; without it each counts by itself. */
  readonly redisUrl: string | undefined;
  readonly log: Logger;
  /** Whatever it opens is closed with these. */
  readonly resources: AsyncDisposableStack;
}

/** While Redis cannot be reached each gateway counts by itself, and says so once. */
export async function openThrottle({ redisUrl, log, resources }: ThrottleOptions): Promise<Throttle> {
  const memory = createMemoryStore();
  if (redisUrl === undefined) return createThrottle(memory);
  return createThrottle(withFallback(resources.use(await openRedisStore(redisUrl, log)), memory, log));
}

export function createThrottle(store: BucketStore): Throttle {
  const giveBack = async (buckets: readonly Bucket[]): Promise<void> => {
    await Promise.all(buckets.map((bucket) => store.giveBack(bucket)));
  };
  return {
    async take(buckets) {
      const verdicts = await Promise.all(buckets.map((bucket) => store.take(bucket)));
      const tightest = verdicts.reduce((least, verdict) => (isTighter(verdict, least) ? verdict : least));
      if (!tightest.isAllowed) await giveBack(buckets.filter((_, index) => verdicts[index]?.isAllowed === true));
      return tightest;
    },
    giveBack,
  };
}

function isTighter(one: Verdict, other: Verdict): boolean {
  if (one.isAllowed !== other.isAllowed) return !one.isAllowed;
  return one.isAllowed ? one.remaining < other.remaining : one.retryAfterSeconds > other.retryAfterSeconds;
}

function withFallback(store: BucketStore, fallback: BucketStore, log: Logger): BucketStore {
  let failing = false;
  const run = async <T>(use: (store: BucketStore) => Promise<T>): Promise<T> => {
    try {
      const result = await use(store);
      if (failing) log.info('redis can be reached again: limits hold for all gateways together');
      failing = false;
      return result;
    } catch (err) {
      if (!failing) log.warn({ err }, 'redis cannot be reached: limits hold for each gateway by itself');
      failing = true;
      return use(fallback);
    }
  };
  return {
    take: (bucket) => run((one) => one.take(bucket)),
    giveBack: (bucket) => run((one) => one.giveBack(bucket)),
  };
}

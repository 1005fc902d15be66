import type { Logger } from '@agentmesh/lib/telemetry';
import type { Bucket, Verdict } from './bucket.ts';
import { createMemoryStore } from './memory-store.ts';
import { openRedisStore } from './redis-store.ts';
import type { BucketStore } from './store.ts';

/** Limits how often something happens. rate-limiter-flexible was compared: docs/adr/0010. */
export interface Throttle {
  /**
   * Takes one from each bucket, or from none if one of them is empty. Returns the verdict of the bucket that has the least left.
   * Never rejects.
   */
  take(buckets: readonly Bucket[]): Promise<Verdict>;
  /** Puts back one in each bucket. Never rejects. */
  giveBack(buckets: readonly Bucket[]): Promise<void>;
}

export interface ThrottleOptions {
  /** With an address all gateways share buckets in Redis; without one each gateway counts for itself. */
  readonly redisUrl: string | undefined;
  readonly log: Logger;
  /** Closes the connection to Redis. */
  readonly resources: AsyncDisposableStack;
}

/** While Redis cannot be reached, each gateway counts for itself and logs that once. */
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
      if (failing) log.info('Redis can be reached again: all gateways share their limits');
      failing = false;
      return result;
    } catch (err) {
      if (!failing) log.warn({ err }, 'Redis cannot be reached: each gateway counts for itself');
      failing = true;
      return use(fallback);
    }
  };
  return {
    take: (bucket) => run((one) => one.take(bucket)),
    giveBack: (bucket) => run((one) => one.giveBack(bucket)),
  };
}

import type { Logger } from '@agentmesh/lib/telemetry';
import { withinDeadline } from '@agentmesh/lib/wait';
import { type Bucket, intervalOf, verdictOf } from './bucket.ts';
import type { BucketStore } from './store.ts';

const prefix = 'agentmesh:throttle:';
/** Time limit of each Redis command. */
const timeoutMs = 250;
const connectTimeoutMs = 2_000;
const longestPauseMs = 5_000;

// Uses the clock of Redis, so that all gateways agree. The value is the time at which the bucket is full; the key expires then.
const take = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local interval, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
  local debt = math.max(0, (tonumber(redis.call('GET', KEYS[1])) or 0) - now)
  if debt + interval > burst * interval then return {0, debt} end
  debt = debt + interval
  redis.call('SET', KEYS[1], string.format('%.0f', now + debt), 'PX', debt)
  return {1, debt}`;

const giveBack = `
  local left = redis.call('PTTL', KEYS[1]) - tonumber(ARGV[1])
  if left > 0 then
    redis.call('SET', KEYS[1], string.format('%.0f', redis.call('GET', KEYS[1]) - tonumber(ARGV[1])), 'PX', left)
  else
    redis.call('DEL', KEYS[1])
  end
  return left`;

/** Keeps buckets in Redis, shared by all gateways. While Redis cannot be reached, operations reject within 250 ms. */
export async function openRedisStore(url: string, log: Logger): Promise<BucketStore & AsyncDisposable> {
  // Loading the client takes 300 ms, so it is loaded only where Redis is used.
  const { createClient } = await import('@redis/client');
  const client = createClient({
    url,
    disableOfflineQueue: true,
    socket: { connectTimeout: connectTimeoutMs, reconnectStrategy: (tries) => Math.min(100 * tries, longestPauseMs) },
  });
  // Without a listener an error event would end the process. The throttle logs the outage.
  client.on('error', (err: unknown) => log.debug({ err }, 'connection to Redis failed'));
  // The client reconnects by itself, also after a failed first attempt.
  client.connect().catch(() => {});
  const run = (script: string, key: string, values: readonly number[]): Promise<unknown> =>
    withinDeadline(client.eval(script, { keys: [prefix + key], arguments: values.map(String) }), timeoutMs, failLate);
  return {
    take: async (bucket) =>
      verdictOf(bucket, outcomeOf(await run(take, bucket.key, [intervalOf(bucket), bucket.burst]))),
    giveBack: async (bucket: Bucket) => void (await run(giveBack, bucket.key, [intervalOf(bucket)])),
    [Symbol.asyncDispose]: async () => client.destroy(),
  };
}

function outcomeOf(answer: unknown): { isAllowed: boolean; debt: number } {
  const [allowed, debt] = Array.isArray(answer) ? answer.map(Number) : [];
  if (allowed === undefined || debt === undefined) throw new Error('Redis gave an unexpected answer.');
  return { isAllowed: allowed === 1, debt };
}

function failLate(): never {
  throw new Error(`Redis did not answer within ${timeoutMs} ms.`);
}

import { MeshError } from '@agentmesh/lib/rpc';
import { LRUCache } from 'lru-cache';
import type { RequestLimit } from '../authentication/authenticate.ts';
import { mostEntries } from '../most-entries.ts';

export interface AccountLimitSettings {
  readonly RATE_LIMIT_ENABLED: boolean;
  readonly RATE_LIMIT_ACCOUNT_PER_MINUTE: number;
}

const minute = 60_000;
/** Accounts that are remembered; the least recently seen are dropped. */
const remembered = 100_000;

/**
 * Allows `RATE_LIMIT_ACCOUNT_PER_MINUTE` requests at once, which come back evenly within a minute. It is counted in memory, without a look at
 * Redis, because every request passes here: with several gateways an account has as many requests in each. `now` returns milliseconds.
 */
export function createAccountLimit(
  settings: AccountLimitSettings,
  now: () => number = () => performance.now(),
): RequestLimit {
  if (!settings.RATE_LIMIT_ENABLED) return { take: () => 0, refusal };
  const interval = minute / settings.RATE_LIMIT_ACCOUNT_PER_MINUTE;
  /** When an account has all its requests again, in milliseconds. */
  const fullAt = new LRUCache<string, number>(mostEntries(remembered));
  return {
    take(accountId) {
      const at = now();
      const next = Math.max(fullAt.get(accountId) ?? 0, at) + interval;
      const excessMs = next - at - minute;
      // The sum of many intervals is not exact.
      if (excessMs > interval / 2) return Math.max(1, Math.ceil(excessMs / 1_000));
      fullAt.set(accountId, next);
      return 0;
    },
    refusal,
  };
}

function refusal(): MeshError {
  const message = 'The account has sent too many requests (RATE_LIMIT_ACCOUNT_PER_MINUTE). Try again later.';
  return new MeshError('resource_exhausted', 'account_requests_per_minute', message);
}

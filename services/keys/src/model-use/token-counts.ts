import type { TokenCounts } from '@agentmesh/lib/prices';
import type { TokenCounts as Message } from '@agentmesh/proto/keys/v1/model_use';

/** More tokens than any call has. */
const most = 1_000_000_000;

/** Counts of a message within 0 and 10^9; zeros for none. */
export function tokenCounts(message: Message | undefined): TokenCounts {
  const { input = 0n, cached = 0n, output = 0n } = message ?? {};
  return { input: bounded(input), cached: bounded(cached), output: bounded(output) };
}

function bounded(count: bigint): number {
  return Math.min(Math.max(Number(count), 0), most);
}

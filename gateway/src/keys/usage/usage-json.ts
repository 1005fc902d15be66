import { MeshError } from '@agentmesh/lib/rpc';
import { type Limit, LimitPeriod, type UsageSum, type UseAmount } from '@agentmesh/proto/keys/v1/model_use';
import { keyIdOf } from '../key-id.ts';
import type { usageParts } from './usage-record.ts';

const nanosOfDollar = 1e9;

export type UsagePart = (typeof usageParts)[number];

interface UsageParts {
  readonly day?: string;
  readonly agent?: string;
  readonly user_id?: string;
  readonly key?: string;
  readonly model?: string;
  readonly invocation_id?: string;
}

const partsOf: Readonly<Record<UsagePart, (sum: UsageSum) => UsageParts>> = {
  day: ({ day }) => ({ day }),
  agent: ({ appName }) => ({ agent: appName }),
  user: ({ userId }) => ({ user_id: userId }),
  key: ({ keyId }) => ({ key: keyId === 0n ? 'server' : `apikey${keyId}` }),
  model: ({ model }) => ({ model }),
  run: ({ invocationId }) => ({ invocation_id: invocationId }),
};

/** A row of the use, with the parts that it is about. */
export function usageRow(sum: UsageSum, parts: ReadonlySet<UsagePart>) {
  const about: UsageParts = [...parts].reduce((shown, part) => ({ ...shown, ...partsOf[part](sum) }), {});
  return {
    ...about,
    requests: Number(sum.calls),
    input_tokens: Number(sum.tokens?.input ?? 0n),
    cached_tokens: Number(sum.tokens?.cached ?? 0n),
    output_tokens: Number(sum.tokens?.output ?? 0n),
    cost_usd: Number(sum.costNanos) / nanosOfDollar,
    unpriced_requests: Number(sum.unpricedCalls),
  };
}

/** A limit. */
export function limitJson(limit: Limit | undefined) {
  if (limit === undefined) throw new MeshError('internal', 'limit_missing', 'The limit could not be read.');
  return {
    scope: limit.keyId === 0n ? 'account' : `apikey${limit.keyId}`,
    period: limit.period === LimitPeriod.MONTH ? 'month' : 'day',
    ...amountsOf(limit.most),
    used: amountsOf(limit.used),
    resets_at: new Date(limit.endsAt * 1_000).toISOString(),
  };
}

function amountsOf({ calls, tokens, costNanos }: Partial<UseAmount> = {}) {
  return {
    requests: calls === undefined ? null : Number(calls),
    tokens: tokens === undefined ? null : Number(tokens),
    cost_usd: costNanos === undefined ? null : Number(costNanos) / nanosOfDollar,
  };
}

/** Number of the key that a scope names; 0 for the account. Throws 400 for another form. */
export function scopeKeyId(scope: string): bigint {
  return scope === 'account' ? 0n : keyIdOf(scope);
}

/** Amounts of a limit; an absent one has none. */
export function useAmount(body: { requests?: number | null; tokens?: number | null; cost_usd?: number | null }) {
  const { requests, tokens, cost_usd: cost } = body;
  return {
    ...(typeof requests === 'number' && { calls: BigInt(requests) }),
    ...(typeof tokens === 'number' && { tokens: BigInt(tokens) }),
    ...(typeof cost === 'number' && { costNanos: BigInt(Math.round(cost * nanosOfDollar)) }),
  };
}

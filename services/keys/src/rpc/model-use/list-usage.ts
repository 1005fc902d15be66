import { priceList } from '@agentmesh/lib/prices';
import { checkAccountId } from '@agentmesh/lib/rpc';
import type { ListUsageRequest, UsageSumSchema } from '@agentmesh/proto/keys/v1/model_use';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { checkUsageForCaller } from '../../caller-rights.ts';
import type { Context } from '../../context.ts';
import { keyRequestInvalid } from '../../errors.ts';
import { sumUsageDays, sumUsageRun, sumUsageRuns, type UsageFilter, type UsageRow } from '../../store/usage.ts';
import type { Handlers } from './handlers.ts';

const [usualLimit, mostRows] = [1_000, 10_000];

/** Most rows of an answer to a request for `limit`; 0 for the usual number. */
export function rowsOf(limit: number): number {
  return limit <= 0 ? usualLimit : Math.min(limit, mostRows);
}

/** Sums up the use of an account. */
export function listUsage({ db }: Context): Handlers['listUsage'] {
  return async (request, call) => {
    checkUsageForCaller(request.invocationId, call);
    const filter = filterOf(request);
    const sumUp = filter.invocationId !== null ? sumUsageRun : filter.byRun ? sumUsageRuns : sumUsageDays;
    const rows = await sumUp(db, { ...filter, limit: filter.limit + 1 });
    return {
      sums: rows.slice(0, filter.limit).map(sumOf),
      hasMore: rows.length > filter.limit,
      pricesVersion: priceList.version,
      pricesMadeOn: priceList.madeOn,
    };
  };
}

function filterOf({ groupBy, limit, ...request }: ListUsageRequest): UsageFilter {
  return {
    accountId: checkAccountId(request.accountId),
    fromDay: checkDay(request.fromDay),
    toDay: checkDay(request.toDay),
    appName: request.appName ?? null,
    userId: request.userId ?? null,
    keyId: request.keyId ?? null,
    invocationId: request.invocationId ?? null,
    byDay: groupBy?.day === true,
    byApp: groupBy?.app === true,
    byUser: groupBy?.user === true,
    byKey: groupBy?.key === true,
    byModel: groupBy?.model === true,
    byRun: groupBy?.run === true,
    limit: rowsOf(limit),
  };
}

/** PostgreSQL has no year 0. */
const firstDay = '0001-01-01';

export function checkDay(day: string): string {
  const time = /^\d{4}-\d\d-\d\d$/.test(day) ? new Date(day) : undefined;
  if (time === undefined || Number.isNaN(time.getTime()) || !time.toISOString().startsWith(day) || day < firstDay) {
    throw keyRequestInvalid('A day is a date such as 2026-11-22.');
  }
  return day;
}

export function sumOf(row: UsageRow): MessageInitShape<typeof UsageSumSchema> {
  return {
    day: row.day ?? '',
    appName: row.app_name ?? '',
    userId: row.user_id ?? '',
    keyId: row.key_id ?? 0n,
    model: row.model ?? '',
    invocationId: row.invocation_id ?? '',
    calls: row.calls,
    tokens: { input: row.input_tokens, cached: row.cached_tokens, output: row.output_tokens },
    costNanos: row.cost_nanos,
    unpricedCalls: row.unpriced_calls,
  };
}

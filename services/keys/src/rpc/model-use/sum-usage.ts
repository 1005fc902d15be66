import type { Context } from '../../context.ts';
import { sumAllUsage } from '../../store/usage.ts';
import type { Handlers } from './handlers.ts';
import { checkDay, rowsOf, sumOf } from './list-usage.ts';

/** Sums up the use of all accounts. */
export function sumUsage({ db }: Context): Handlers['sumUsage'] {
  return async ({ byAccount, byModel, byApp, ...request }) => {
    const limit = rowsOf(request.limit);
    const days = { fromDay: checkDay(request.fromDay), toDay: checkDay(request.toDay) };
    const rows = await sumAllUsage(db, { ...days, byAccount, byModel, byApp, limit: limit + 1 });
    const sums = rows.slice(0, limit).map((row) => ({ accountId: row.account_id ?? '', sum: sumOf(row) }));
    return { sums, hasMore: rows.length > limit };
  };
}

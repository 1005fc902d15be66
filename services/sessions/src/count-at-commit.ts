import { createAccountState } from './account-usage.ts';
import type { Context } from './context.ts';

/**
 * Runs work that resolves when its transaction is committed, and rejects when it is not. What it adds to the usage of accounts is held until then, and counts
 * afterwards only if it was committed: sessions and bytes are never counted anew.
 */
export async function countAtCommit<T>(context: Context, work: (context: Context) => Promise<T>): Promise<T> {
  const { usage, accountLimits, limits } = context;
  const counted: Parameters<typeof usage.add>[] = [];
  using held = new DisposableStack();
  const counting: Pick<Context, 'usage' | 'accountLimits'> = {
    accountLimits,
    usage: {
      of: (...asked) => usage.of(...asked),
      take: (...asked) => usage.take(...asked),
      hold: (...change) => usage.hold(...change),
      add: (...change) => {
        held.use(usage.hold(...change));
        counted.push(change);
      },
    },
  };
  const accountState = createAccountState(counting);
  const result = await work({ ...context, ...counting, limits: { ...limits, accountState } });
  for (const change of counted) usage.add(...change);
  return result;
}

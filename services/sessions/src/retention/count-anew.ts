import type { AccountUsage, Grown } from '../account-usage.ts';
import type { Context } from '../context.ts';
import {
  countRows,
  deleteOldestRuns,
  type GrownAccount,
  selectGrownAccounts,
} from '../store/retention/grown-accounts.ts';

export interface CountingContext extends AccountUsage, Pick<Context, 'db'> {
  /** Ends the round between two statements. */
  readonly draining: AbortSignal;
}

/** Runs that one statement deletes: it takes a few milliseconds. */
const batchSize = 500;

const kinds: readonly Grown[] = ['runs', 'run_keys', 'state'];

/**
 * Counts anew what accounts have whose usage has grown: it counts what they write, and not what they delete or replace. Of an account with nine tenths of the
 * runs that it may have, the oldest ended ones are deleted. Answers how many were.
 */
export async function countAnew(context: CountingContext): Promise<number> {
  const { db, accountLimits, draining } = context;
  const mosts = kinds.map((kind) => accountLimits[kind === 'state' ? 'state' : 'runs']);
  let deleted = 0;
  for (const account of await selectGrownAccounts(db, { kinds, mosts })) {
    if (draining.aborted) break;
    const most = mosts[kinds.indexOf(account.kind)] ?? 0;
    const number = await countAccount(context, account, most);
    if (account.kind !== 'runs') continue;
    deleted += await deleteSurplus(context, account.accountId, number - Math.floor(most * 0.9));
  }
  return deleted;
}

/** The amount that the account has: counted anew when it is full, or has added an eighth of what it may have. So all counting reads a few times as much as was written. */
async function countAccount(
  { db, usage }: CountingContext,
  { accountId, kind, number, counted }: GrownAccount,
  most: number,
): Promise<number> {
  const told = Number(number);
  const before = Number(counted);
  if (told < most && told - before < most / 8) return told;
  const now = Number(await countRows(db.forLongWork(), accountId, kind));
  usage.add(accountId, { [kind]: now - told, [`${kind}_counted`]: now - before });
  return now;
}

async function deleteSurplus(
  { db, usage, draining }: CountingContext,
  accountId: string,
  surplus: number,
): Promise<number> {
  let runs = 0;
  for (let left = surplus; left > 0 && !draining.aborted; ) {
    const gone = await deleteOldestRuns(db, { accountId, limit: Math.min(batchSize, left) });
    usage.add(accountId, { runs: -gone.weight });
    runs += gone.runs;
    left = gone.runs === 0 ? 0 : left - gone.weight;
  }
  return runs;
}

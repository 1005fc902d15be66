import { setTimeout as sleep } from 'node:timers/promises';
import { writeOutbox } from '@agentmesh/lib/bus';
import { accountDeleted } from '../account-deleted.ts';
import type { Context } from '../context.ts';
import { takeDueErasures } from '../store/erasures.ts';

const intervalMs = 1_000;
/**
 * Seconds between the times that services are asked to erase an account. The bus may lose a question or its answer, and a request
 * or run from before the deletion may leave something behind: the last question comes over nine minutes after the deletion, when no
 * token is remembered, no call is under way and no model is still waited for.
 */
const pauses = [3, 5, 10, 20, 40, 60, 120, 300];

/** Asks until the process drains. Any number of replicas may do so. */
export function startAskingToErase(context: Context, draining: AbortSignal): void {
  const run = async (): Promise<void> => {
    for (;;) {
      await askToErase(context).catch((err: unknown) => context.log.warn({ err }, 'erasures cannot be looked for'));
      await sleep(intervalMs, undefined, { signal: draining, ref: false });
    }
  };
  // Draining is the only way out.
  run().catch(() => {});
}

/** Asks about every erasure that is due now; how many there were. */
export async function askToErase({ db, wakeOutbox }: Context): Promise<number> {
  const due = await db.transaction(async (tx) => {
    const accountIds = await takeDueErasures(tx, pauses);
    if (accountIds.length > 0) await writeOutbox(tx, accountIds.map(accountDeleted));
    return accountIds.length;
  });
  if (due > 0) wakeOutbox();
  return due;
}

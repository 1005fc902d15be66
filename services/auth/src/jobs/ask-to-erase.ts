import { writeOutbox } from '@agentmesh/lib/bus';
import type { Job } from '@agentmesh/lib/service';
import { AccountDeletedSchema } from '@agentmesh/proto/auth/v1';
import type { Context } from '../context.ts';
import { takeDueErasures } from '../store/erasures.ts';

const pauseMs = 1_000;
/**
 * Seconds between the times that services are asked to erase an account. The bus may lose a question or its answer, and a request
 * or run from before the deletion may leave something behind: the last question comes over nine minutes after the deletion, when no
 * token is remembered, no call is under way and no model is still waited for.
 */
const pauses = [3, 5, 10, 20, 40, 60, 120, 300];

/** Asks the services to erase what is due. */
export function createAskToErase(context: Context): Job {
  return { pauseMs, failure: 'erasures cannot be looked for', run: () => askToErase(context) };
}

async function askToErase({ db, wakeOutbox }: Context): Promise<void> {
  const due = await db.transaction(async (tx) => {
    const accountIds = await takeDueErasures(tx, pauses);
    const messages = accountIds.map((accountId) => ({ accountId }));
    if (accountIds.length > 0) await writeOutbox(tx, AccountDeletedSchema, messages);
    return accountIds.length;
  });
  if (due > 0) wakeOutbox();
}

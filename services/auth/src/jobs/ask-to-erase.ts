import { writeOutbox } from '@agentmesh/lib/bus';
import type { Job } from '@agentmesh/lib/service';
import { AccountDeletedSchema } from '@agentmesh/proto/auth/v1';
import type { Context } from '../context.ts';
import { takeDueErasures } from '../store/erasures.ts';

const pauseMs = 12_000;
/**
 * Seconds between two AccountDeleted messages for one account. The bus may lose a message or its answer, and a request or run that began
 * before the deletion may still store something. The last message is sent over nine minutes after the deletion: by then no token is
 * cached, no call is running and no run waits for a model.
 */
const pauses = [3, 5, 10, 20, 40, 60, 120, 300];

/** Creates the job that publishes AccountDeleted again for erasures that are due. */
export function createAskToErase(context: Context): Job {
  return { pauseMs, failure: 'due erasures could not be read', run: () => askToErase(context) };
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

import { answerDeletions, type CountErased, type ConsumeHandler } from '@agentmesh/lib/bus';
import { deleteAccountKeys } from '@agentmesh/lib/idempotency';
import { checkAccountId } from '@agentmesh/lib/rpc';
import type { AccountDeletedSchema } from '@agentmesh/proto/auth/v1';
import { AttemptEnd_Outcome } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../context.ts';
import { eraseRest, eraseSomeSessions } from '../store/erasure.ts';
import { hintEnded, tellAwaited } from '../turns/run-ended.ts';

/** Erases the account's sessions, fifty in each transaction. Its runs end as cancelled. */
export function onAccountDeleted(context: Context): ConsumeHandler<typeof AccountDeletedSchema> {
  const { db, auth, log } = context;
  return answerDeletions({ db, auth, log, service: 'sessions', erase: (id, count) => eraseAll(context, id, count) });
}

async function eraseAll(context: Context, id: string, count: CountErased): Promise<void> {
  const db = context.db.forLongWork();
  const accountId = checkAccountId(id);
  const outcome = AttemptEnd_Outcome.CANCELLED;
  for (let left = true; left; context.wakeOutbox()) {
    const step = await db.transaction(async (tx) => {
      const { cancelled, ...counts } = await eraseSomeSessions(tx, accountId);
      await count(tx, counts);
      const ended = cancelled.map((run) => ({ ...run, accountId, outcome }));
      await tellAwaited(tx, ended);
      return { ended, sessions: counts.sessions };
    });
    for (const run of step.ended) hintEnded(context, run);
    left = step.sessions > 0;
  }
  await db.transaction(async (tx) => {
    await deleteAccountKeys(tx, accountId);
    await count(tx, { ...(await eraseRest(tx, accountId)) });
  });
}

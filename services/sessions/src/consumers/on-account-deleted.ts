import { answerDeletions, type CountErased, writeOutbox } from '@agentmesh/lib/bus';
import { AttemptEnd_Outcome } from '@agentmesh/proto/sessions/v1';
import { checkAccountId } from '../session-key.ts';
import type { Context } from '../context.ts';
import { runEnded } from '../run-ended.ts';
import { runEndedSubject } from '../store/appends.ts';
import { eraseRest, eraseSomeSessions } from '../store/erasure.ts';

/** Erases the account's sessions, some at a time; its runs end as cancelled. */
export function onAccountDeleted(context: Context): Promise<() => Promise<void>> {
  const { db, bus, log } = context;
  return answerDeletions({ db, bus, log, service: 'sessions', erase: (id, count) => eraseAll(context, id, count) });
}

async function eraseAll(context: Context, id: string, count: CountErased): Promise<void> {
  const { db } = context;
  const accountId = checkAccountId(id);
  for (let left = true; left; context.wakeOutbox()) {
    left = await db.transaction(async (tx) => {
      const { cancelled, ...counts } = await eraseSomeSessions(tx, accountId);
      await count(tx, counts);
      const payloads = cancelled.map((run) => runEnded(accountId, run, AttemptEnd_Outcome.CANCELLED));
      await writeOutbox(
        tx,
        payloads.map((payload) => ({ subject: runEndedSubject, payload })),
      );
      return counts.sessions > 0;
    });
  }
  await db.transaction(async (tx) => count(tx, { ...(await eraseRest(tx, accountId)) }));
}

import { answerDeletions, type ConsumeHandler, type CountErased, type DeletionAnswers } from '@agentmesh/lib/bus';
import { deleteAccountKeys } from '@agentmesh/lib/idempotency';
import { checkAccountId } from '@agentmesh/lib/rpc';
import type { AccountDeletedSchema } from '@agentmesh/proto/auth/v1';
import type { Context } from '../context.ts';
import { deleteAccountAgents } from '../store/agents.ts';
import { deleteAccountNotices } from '../store/notices.ts';
import { deleteAccountRunLines } from '../store/run-logs.ts';
import { deleteAccountTraces } from '../store/traces.ts';

interface Deps extends Pick<Context, 'agentApps' | 'db' | 'log'> {
  readonly auth: DeletionAnswers['auth'];
}

/** Erases the agents, notices, traces and lines of runs of a deleted account, and reports to auth how many there were. */
export function onAccountDeleted({ agentApps, auth, db, log }: Deps): ConsumeHandler<typeof AccountDeletedSchema> {
  const erase = (accountId: string, count: CountErased) =>
    db.forLongWork().transaction(async (tx) => {
      const id = checkAccountId(accountId);
      await deleteAccountKeys(tx, id);
      const personal = { ...(await deleteAccountAgents(tx, id)), ...(await deleteAccountNotices(tx, id)) };
      const seen = { ...(await deleteAccountTraces(tx, id)), ...(await deleteAccountRunLines(tx, id)) };
      await count(tx, { ...personal, ...seen });
    });
  const answer = answerDeletions({ db, auth, log, service: 'runs', erase });
  return async (message, delivery) => {
    await answer(message, delivery);
    agentApps.forget(message.accountId);
  };
}

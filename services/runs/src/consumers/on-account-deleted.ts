import { answerDeletions, type CountErased, type DeletionAnswers, type HintHandler } from '@agentmesh/lib/bus';
import { checkAccountId } from '@agentmesh/lib/rpc';
import type { AccountDeletedSchema } from '@agentmesh/proto/auth/v1';
import type { Context } from '../context.ts';
import { deleteAccountAgents } from '../store/agents.ts';
import { deleteAccountNotices } from '../store/notices.ts';

interface Deps extends Pick<Context, 'agentApps' | 'db' | 'histories' | 'log' | 'spans'> {
  readonly auth: DeletionAnswers['auth'];
}

/** Erases the agents and notices of a deleted account, drops what this process caches of it, and reports to auth how many there were. */
export function onAccountDeleted(deps: Deps): HintHandler<typeof AccountDeletedSchema> {
  const { agentApps, auth, db, histories, log, spans } = deps;
  const erase = (accountId: string, count: CountErased) =>
    db.transaction(async (tx) => {
      const id = checkAccountId(accountId);
      await count(tx, { ...(await deleteAccountAgents(tx, id)), ...(await deleteAccountNotices(tx, id)) });
    });
  const answer = answerDeletions({ db, auth, log, service: 'runs', erase });
  return async (message, ...rest) => {
    histories.forget(message.accountId);
    spans?.forget(message.accountId);
    await answer(message, ...rest);
    agentApps.forget(message.accountId);
  };
}

import { answerDeletions, type CountErased, type DeletionAnswers, type HintHandler } from '@agentmesh/lib/bus';
import { checkAccountId } from '@agentmesh/lib/rpc';
import type { AccountDeletedSchema } from '@agentmesh/proto/auth/v1';
import type { Context } from '../context.ts';
import { deleteAccountAgents } from '../store/agents.ts';

interface Deps extends Pick<Context, 'agentApps' | 'db' | 'histories' | 'log' | 'spans'> {
  readonly auth: DeletionAnswers['auth'];
}

/** Erases the agents of a deleted account, drops what this process caches of it, and reports to auth how many agents there were. */
export function onAccountDeleted(deps: Deps): HintHandler<typeof AccountDeletedSchema> {
  const { agentApps, auth, db, histories, log, spans } = deps;
  const erase = (accountId: string, count: CountErased) =>
    db.transaction(async (tx) => count(tx, await deleteAccountAgents(tx, checkAccountId(accountId))));
  const answer = answerDeletions({ db, auth, log, service: 'runs', erase });
  return async (message, ...rest) => {
    histories.forget(message.accountId);
    spans?.forget(message.accountId);
    await answer(message, ...rest);
    agentApps.forget(message.accountId);
  };
}

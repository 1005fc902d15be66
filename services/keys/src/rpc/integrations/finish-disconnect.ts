import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../context.ts';
import { deleteEnded } from '../../store/integrations.ts';
import type { Handlers } from './handlers.ts';

/** Erases the tokens of a disconnected integration. */
export function finishDisconnect({ db }: Context): Handlers['finishDisconnect'] {
  return async ({ accountId, integrationId }) => {
    await deleteEnded(db, { accountId: checkAccountId(accountId), integrationId });
    return {};
  };
}

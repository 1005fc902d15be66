import { checkAccountId } from '@agentmesh/lib/rpc';
import { removeAgent } from '../../apps/agents/remove-agent.ts';
import type { Context } from '../../context.ts';
import type { Handlers } from './handlers.ts';

/** Deletes an agent. */
export function deleteAgent(context: Context): Handlers['deleteAgent'] {
  return async ({ accountId, agentId, ifMatch }, call) => {
    await removeAgent(
      { ...context, db: context.db.within(call) },
      { accountId: checkAccountId(accountId), agentId, ifMatch },
    );
    return {};
  };
}

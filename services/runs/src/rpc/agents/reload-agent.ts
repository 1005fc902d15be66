import { checkAccountId } from '@agentmesh/lib/rpc';
import { tellChange } from '../../apps/agents/tell-change.ts';
import type { Context } from '../../context.ts';
import { raiseRevision } from '../../store/agent-accounts.ts';
import { findAgent } from './find-agent.ts';
import type { Handlers } from './handlers.ts';

/** Makes all replicas build the agent again. */
export function reloadAgent(context: Context): Handlers['reloadAgent'] {
  return async (request) => {
    const accountId = checkAccountId(request.accountId);
    await findAgent(context, { accountId, agentId: request.agentId });
    await raiseRevision(context.db, { accountId });
    await tellChange(context, accountId);
    return {};
  };
}

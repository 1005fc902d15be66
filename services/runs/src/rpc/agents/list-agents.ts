import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../context.ts';
import { selectAgents } from '../../store/agents.ts';
import { agentMessage } from './agent-message.ts';
import type { Handlers } from './handlers.ts';

/** Returns all agents of an account. */
export function listAgents({ db }: Context): Handlers['listAgents'] {
  return async (request) => {
    const rows = await selectAgents(db, { accountId: checkAccountId(request.accountId) });
    return { agents: rows.map(agentMessage) };
  };
}

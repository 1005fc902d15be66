import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../context.ts';
import { selectAgentRange } from '../../store/agents.ts';
import { agentMessage } from './agent-message.ts';
import type { Handlers } from './handlers.ts';

/** Most bytes of fields in an answer. Each agent has at most 256 KiB, and a message of the mesh at most 64 MiB. */
const maxBytes = 16 * 1024 * 1024;
const mostAgents = 1_000_000;

/** Returns a page of the agents of an account. */
export function listAgents({ db }: Context): Handlers['listAgents'] {
  return async ({ accountId, afterId, limit }) => {
    const most = limit > 0 ? limit : mostAgents;
    const range = { accountId: checkAccountId(accountId), afterId, limit: most + 1, maxBytes };
    const rows = await selectAgentRange(db, range);
    const page = rows.slice(0, most);
    return { agents: page.map(agentMessage), hasMore: (rows[0]?.found ?? 0) > page.length };
  };
}

import { checkAccountId } from '@agentmesh/lib/rpc';
import { adkName } from '../../agents/agent-name.ts';
import { mostFieldBytes, saveAgent } from '../../agents/save-agent.ts';
import { readAgent } from '../../agents/yaml/read-agent.ts';
import type { Context } from '../../context.ts';
import { agentTooLarge } from '../../errors.ts';
import { selectEdges } from '../../store/agents.ts';
import { savedOrFaults } from './agent-message.ts';
import { findAgent } from './find-agent.ts';
import type { Handlers } from './handlers.ts';

/** Creates or replaces an agent from the text of a `root_agent.yaml`. */
export function importAgent(context: Context): Handlers['importAgent'] {
  return async ({ agentId, yaml, ifMatch, ...request }) => {
    const accountId = checkAccountId(request.accountId);
    if (Buffer.byteLength(yaml) > mostFieldBytes) throw agentTooLarge(mostFieldBytes);
    if (agentId !== 0) await findAgent(context, { accountId, agentId });
    const agents = await selectEdges(context.db, { accountId });
    const byName = new Map(agents.map(({ agent_id: id, name }) => [adkName(name), id]));
    return savedOrFaults(async () =>
      saveAgent(context, { accountId, agentId, fields: readAgent(yaml, byName), ifMatch }),
    );
  };
}

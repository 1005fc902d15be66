import { checkAccountId } from '@agentmesh/lib/rpc';
import type { AgentFields } from '../../../apps/agents/agent-fields.ts';
import { withoutHeaders } from '../../../apps/agents/header-values.ts';
import { printAgent } from '../../../apps/agents/yaml/print-agent.ts';
import type { Context } from '../../../context.ts';
import { findAgent } from '../find-agent.ts';
import type { Handlers } from '../handlers.ts';

/** Returns an agent as the text of a `root_agent.yaml`, without the headers of MCP servers, which may hold secrets. */
export function exportAgent(context: Context): Handlers['exportAgent'] {
  return async ({ accountId, agentId }) => {
    const { fields } = await findAgent(context, { accountId: checkAccountId(accountId), agentId });
    return { yaml: printAgent(withoutHeaders(JSON.parse(fields) as AgentFields)) };
  };
}

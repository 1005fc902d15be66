import { checkAccountId } from '@agentmesh/lib/rpc';
import type { AgentFields } from '../../../apps/agents/agent-fields.ts';
import { adkName } from '../../../apps/agents/agent-name.ts';
import { unchanged } from '../../../apps/definition/key-reference.ts';
import { keepHeaders } from '../../../apps/agents/header-values.ts';
import { checkAgent, mostFieldBytes, saveAgent } from '../../../apps/agents/save-agent.ts';
import { readAgent } from '../../../apps/agents/yaml/read-agent.ts';
import type { Context } from '../../../context.ts';
import { agentTooLarge } from '../../../errors.ts';
import { type AgentRow, selectEdges } from '../../../store/agents.ts';
import { faultsOf, savedOrFaults, type Saving } from '../agent-message.ts';
import { findAgent } from '../find-agent.ts';
import type { Handlers } from '../handlers.ts';

/** Creates or replaces an agent from the text of a `root_agent.yaml`. */
export function importAgent(context: Saving): Handlers['importAgent'] {
  return async ({ agentId, yaml, ifMatch, ...request }) => {
    const accountId = checkAccountId(request.accountId);
    const { present, read } = await openFile(context, { accountId, agentId, yaml });
    return savedOrFaults(context, async (saving) =>
      saveAgent(saving, { accountId, agentId, fields: keepOwnKey(keepHeaders(read(), present), present), ifMatch }),
    );
  };
}

/** Checks the text of a `root_agent.yaml`, and stores nothing. */
export function checkAgentYaml(context: Context): Handlers['checkAgentYaml'] {
  return async ({ agentId, yaml, ...request }) => {
    const accountId = checkAccountId(request.accountId);
    const { present, read } = await openFile(context, { accountId, agentId, yaml });
    return faultsOf(async () => {
      const fields = keepOwnKey(keepHeaders(read(), present), present);
      await checkAgent(context, { accountId, agentId, fields, ifMatch: [] }, present);
    });
  };
}

interface AgentFile {
  readonly accountId: string;
  readonly agentId: number;
  readonly yaml: string;
}

/** The agent that a file replaces, and what reads the file's fields. `read` throws AgentFaults. */
async function openFile(context: Context, { accountId, agentId, yaml }: AgentFile) {
  if (Buffer.byteLength(yaml) > mostFieldBytes) throw agentTooLarge(mostFieldBytes);
  const present = agentId === 0 ? undefined : await findAgent(context, { accountId, agentId });
  const agents = await selectEdges(context.db, { accountId });
  const byName = new Map(agents.map(({ agent_id: id, name }) => [adkName(name), id]));
  return { present, read: () => readAgent(yaml, byName, context.checkTool) };
}

/** A file never names a key that is stored for the agent alone, so that key stays. */
function keepOwnKey(fields: AgentFields, present: AgentRow | undefined): AgentFields {
  const { agent_model_params: params } = fields;
  if ((present?.key_id ?? null) === null || params?.['model_api_key'] !== undefined) return fields;
  return { ...fields, agent_model_params: { ...params, model_api_key: unchanged } };
}

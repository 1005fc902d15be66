import type { Queryable } from '@agentmesh/lib/pg';
import type { AgentFile } from '../files/load-agent-files.ts';
import { AppFilesError } from '../definition/mistake.ts';
import { type AgentRow, selectAgent, selectAgentsById } from '../../store/agents.ts';
import type { AgentFields } from './agent-fields.ts';
import { agentAppName } from './agent-id.ts';
import { adkName, uniqueName } from './agent-name.ts';
import { type AgentChecks, checkDefinition } from './checks/check-definition.ts';
import { savedKeyId } from '../definition/key-reference.ts';

/** More levels than a stored tree has. */
const mostLevels = 32;

export interface LoadTree {
  readonly accountId: string;
  readonly agentId: number;
  readonly checks: AgentChecks;
}

/**
 * Reads an agent and its sub-agents, as the files of an app would be read. Undefined when there is no such agent. Throws
 * AppFilesError when a stored agent can no longer be used, e.g. because a tool is gone.
 */
export async function loadTree(db: Queryable, { accountId, agentId, checks }: LoadTree) {
  const [root] = await selectAgent(db, { accountId, agentId });
  if (root === undefined) return undefined;
  const rows = new Map([[agentId, root]]);
  let level = root.sub_agents;
  for (let depth = 0; depth < mostLevels && level.length > 0; depth++) {
    const found = await selectAgentsById(db, { accountId, agentIds: level });
    for (const row of found) rows.set(row.agent_id, row);
    level = found.flatMap((row) => row.sub_agents).filter((id) => !rows.has(id));
  }
  return { version: root.version, root: toAgentFile(root, { accountId, rows, names: new Set(), checks, above: [] }) };
}

interface Walk {
  readonly accountId: string;
  readonly rows: ReadonlyMap<number, AgentRow>;
  readonly names: Set<string>;
  readonly checks: AgentChecks;
  readonly above: readonly number[];
}

function toAgentFile(row: AgentRow, walk: Walk): AgentFile {
  const file = agentAppName(row.agent_id);
  const fields = JSON.parse(row.fields) as AgentFields;
  const name = uniqueName(adkName(fields.agent_name), walk.names);
  const { definition, faults } = checkDefinition(fields, name, walk.checks);
  if (definition === undefined) {
    throw new AppFilesError(faults.map(({ path, reason }) => ({ file, key: path.join('.'), reason })));
  }
  const above = [...walk.above, row.agent_id];
  const subAgents = row.sub_agents.map((id) => {
    const below = above.includes(id) ? undefined : walk.rows.get(id);
    if (below === undefined) {
      throw new AppFilesError([{ file, key: 'sub_agents', reason: `${agentAppName(id)} cannot be used` }]);
    }
    return toAgentFile(below, { ...walk, above });
  });
  return { file, definition, subAgents, ...accessOf(fields, row) };
}

/** Returns the saved key or the base address that the agent's model uses; nothing when the server's settings apply. */
function accessOf(
  { agent_model_params: params }: AgentFields,
  { key_id: ownKey }: AgentRow,
): Pick<AgentFile, 'access'> {
  const given: Readonly<Record<string, unknown>> = params ?? {};
  const { model_api_key: key, model_api_base: base } = given;
  const keyId = ownKey ?? savedKeyId(key);
  if (keyId !== undefined) return { access: { keyId } };
  return typeof base === 'string' && base !== '' ? { access: { modelApiBase: base } } : {};
}

import { checkAccountId } from '@agentmesh/lib/rpc';
import type { AppSchema, BrokenAppSchema, FileMistakeSchema } from '@agentmesh/proto/runs/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { AgentFields } from '../apps/agents/agent-fields.ts';
import { agentAppName } from '../apps/agents/agent-id.ts';
import { adkName } from '../apps/agents/agent-name.ts';
import type { Context } from '../context.ts';
import type { Mistake } from '../apps/definition/mistake.ts';
import { type AgentRow, selectAgents } from '../store/agents.ts';
import type { Handlers } from './handlers.ts';

/** Apps from `AGENTS_DIR` belong to every account, agents to their own. */
export function listApps({ db, registry }: Context): Handlers['listApps'] {
  return async (request) => {
    const agents = await selectAgents(db, { accountId: checkAccountId(request.accountId) });
    const mistakes = registry.mistakes();
    const apps = registry.list().map(({ name, rootName, description, language }) => ({
      name,
      rootAgentName: rootName,
      description,
      language,
      isComputerUse: false,
      mistakes: mistakes.get(name)?.map(toMessage) ?? [],
    }));
    const running = new Set(apps.map(({ name }) => name));
    const brokenApps: MessageInitShape<typeof BrokenAppSchema>[] = [...mistakes]
      .filter(([name]) => !running.has(name))
      .map(([name, found]) => ({ name, mistakes: found.map(toMessage) }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return { apps: [...apps, ...agents.map(agentApp)], brokenApps };
  };
}

function agentApp({ agent_id: agentId, fields }: AgentRow): MessageInitShape<typeof AppSchema> {
  const { agent_name: agentName, agent_description: description } = JSON.parse(fields) as AgentFields;
  return { name: agentAppName(agentId), rootAgentName: adkName(agentName), description, language: 'yaml' };
}

function toMessage({ file, at, key, reason }: Mistake): MessageInitShape<typeof FileMistakeSchema> {
  return { file, line: at?.line ?? 0, column: at?.column ?? 0, key, reason };
}

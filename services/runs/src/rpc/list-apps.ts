import { checkAccountId } from '@agentmesh/lib/rpc';
import { type AppSchema, AppState, type BrokenAppSchema, type FileMistakeSchema } from '@agentmesh/proto/runs/v1';
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
      state: mistakes.has(name) ? AppState.STALE : AppState.READY,
    }));
    const running = new Set(apps.map(({ name }) => name));
    const pending = new Set(registry.pending());
    const brokenApps: MessageInitShape<typeof BrokenAppSchema>[] = [...new Set([...mistakes.keys(), ...pending])]
      .filter((name) => !running.has(name))
      .map((name) => ({
        name,
        mistakes: mistakes.get(name)?.map(toMessage) ?? [],
        state: pending.has(name) ? AppState.LOADING : AppState.FAILED,
      }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return { apps: [...apps, ...agents.map(agentApp)], brokenApps };
  };
}

function agentApp({ agent_id: agentId, fields }: AgentRow): MessageInitShape<typeof AppSchema> {
  const { agent_name: agentName, agent_description: description } = JSON.parse(fields) as AgentFields;
  return {
    name: agentAppName(agentId),
    rootAgentName: adkName(agentName),
    description,
    language: 'yaml',
    state: AppState.READY,
  };
}

function toMessage({ file, at, key, reason }: Mistake): MessageInitShape<typeof FileMistakeSchema> {
  return { file, line: at?.line ?? 0, column: at?.column ?? 0, key, reason };
}

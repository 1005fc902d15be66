import type { Agent } from '@agentmesh/proto/runs/v1/agents';
import { type Context, unary } from '../context.ts';
import type { ExportPart } from '../export-part.ts';
import { agentJson, fieldsJson, time } from './agent-json.ts';

/** Agents and their kept versions. */
export const agentExport: ExportPart = {
  kinds: ['agent', 'agent_version'],
  async *read({ agents }, owner) {
    for await (const agent of agentsOf(agents, owner.accountId)) {
      yield { kind: 'agent', data: agentJson(agent, owner) };
      const asked = { accountId: owner.accountId, agentId: agent.agentId };
      const { versions } = await agents.listVersions(asked, unary);
      for (const { version, fieldsJson: json, createdAt } of versions) {
        const data = { version, created_at: time(createdAt), agent: fieldsJson(json) };
        yield { kind: 'agent_version', of: { agent_id: agent.agentId }, data };
      }
    }
  },
};

const pageSize = 20;

async function* agentsOf(agents: Context['agents'], accountId: string): AsyncGenerator<Agent> {
  for (let afterId = 0, hasMore = true; hasMore; ) {
    const page = await agents.listAgents({ accountId, afterId, limit: pageSize }, unary);
    yield* page.agents;
    afterId = page.agents.at(-1)?.agentId ?? afterId;
    hasMore = page.hasMore;
  }
}

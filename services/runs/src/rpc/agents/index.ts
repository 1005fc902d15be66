import { once, onceAtCommit } from '@agentmesh/lib/idempotency';
import { AgentsService } from '@agentmesh/proto/runs/v1/agents';
import type { Context } from '../../context.ts';
import { checkApp } from './check-app.ts';
import { createAgent } from './create-agent.ts';
import { deleteAgent } from './delete-agent.ts';
import { exportAgent } from './yaml/export-agent.ts';
import { getAgentStatus } from './get-agent-status.ts';
import { getAgent } from './get-agent.ts';
import type { Handlers } from './handlers.ts';
import { checkAgentYaml, importAgent } from './yaml/import-agent.ts';
import { listAgents } from './list-agents.ts';
import { listVersions } from './versions/list-versions.ts';
import { reloadAgent } from './reload-agent.ts';
import { restoreVersion } from './versions/restore-version.ts';
import { startAgentRun } from './start-agent-run.ts';
import { updateAgent } from './update-agent.ts';

/** The table of contents: every RPC of AgentsService. */
export function createAgentHandlers(context: Context): Handlers {
  const { method } = AgentsService;
  return {
    createAgent: onceAtCommit(context, method.createAgent, createAgent),
    listAgents: listAgents(context),
    getAgent: getAgent(context),
    updateAgent: updateAgent(context),
    deleteAgent: deleteAgent(context),
    reloadAgent: once(context, method.reloadAgent, reloadAgent),
    listVersions: listVersions(context),
    restoreVersion: onceAtCommit(context, method.restoreVersion, restoreVersion),
    exportAgent: exportAgent(context),
    importAgent: onceAtCommit(context, method.importAgent, importAgent),
    checkAgentYaml: checkAgentYaml(context),
    getAgentStatus: getAgentStatus(context),
    startAgentRun: startAgentRun(context),
    checkApp: checkApp(context),
  };
}

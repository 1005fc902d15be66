import type { Context } from '../../context.ts';
import { checkApp } from './check-app.ts';
import { createAgent } from './create-agent.ts';
import { deleteAgent } from './delete-agent.ts';
import { exportAgent } from './yaml/export-agent.ts';
import { getAgentStatus } from './get-agent-status.ts';
import { getAgent } from './get-agent.ts';
import type { Handlers } from './handlers.ts';
import { importAgent } from './yaml/import-agent.ts';
import { listAgents } from './list-agents.ts';
import { listVersions } from './versions/list-versions.ts';
import { reloadAgent } from './reload-agent.ts';
import { restoreVersion } from './versions/restore-version.ts';
import { startAgentRun } from './start-agent-run.ts';
import { updateAgent } from './update-agent.ts';

/** The table of contents: every RPC of AgentsService. */
export function createAgentHandlers(context: Context): Handlers {
  return {
    createAgent: createAgent(context),
    listAgents: listAgents(context),
    getAgent: getAgent(context),
    updateAgent: updateAgent(context),
    deleteAgent: deleteAgent(context),
    reloadAgent: reloadAgent(context),
    listVersions: listVersions(context),
    restoreVersion: restoreVersion(context),
    exportAgent: exportAgent(context),
    importAgent: importAgent(context),
    getAgentStatus: getAgentStatus(context),
    startAgentRun: startAgentRun(context),
    checkApp: checkApp(context),
  };
}

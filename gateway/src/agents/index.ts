import type { App, Context } from '../context.ts';
import { agentRunRoutes } from './agent-runs.ts';
import { agentVersionRoutes } from './agent-versions.ts';
import { agentYamlRoutes } from './agent-yaml.ts';
import { agentRoutes } from './agents.ts';
import { modelRoute } from './models.ts';

export { agentExport } from './export.ts';

/** Agents that accounts keep as records. */
export function addAgents(app: App, context: Context): void {
  agentRoutes(app, context);
  agentVersionRoutes(app, context);
  agentYamlRoutes(app, context);
  agentRunRoutes(app, context);
  modelRoute(app);
}

import type { AgentApps } from '../agents/agent-apps.ts';
import { isAgentAppName, parseAgentId } from '../agents/agent-id.ts';
import { agentAppNotFound, appNotFound } from '../../errors.ts';
import { servesApp } from './app-names.ts';
import type { App } from '../building/app.ts';
import type { Registry } from './registry.ts';

/** All apps of an account: those of `AGENTS_DIR`, and its agents. */
export interface AppFinder {
  /**
   * Finds an app by name; without waiting where it is one of `AGENTS_DIR` that has been loaded. Fails with MeshError permission_denied `app_internal` or
   * not_found `app_not_found`.
   */
  find(accountId: string, name: string): App | Promise<App>;
}

/** Names like `agent12` are never looked for in `AGENTS_DIR`. */
export function createAppFinder(registry: Registry, agents: AgentApps, served: readonly string[]): AppFinder {
  return {
    find(accountId, name) {
      if (!servesApp(served, name)) throw appNotFound(name, `This server serves only: ${served.join(', ')}.`);
      if (!isAgentAppName(name)) return registry.loading(name)?.then(() => registry.get(name)) ?? registry.get(name);
      const agentId = parseAgentId(name);
      if (agentId === undefined) throw agentAppNotFound(name);
      return agents.find(accountId, agentId);
    },
  };
}

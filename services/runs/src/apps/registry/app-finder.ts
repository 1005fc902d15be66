import type { AgentApps } from '../agents/agent-apps.ts';
import { isAgentAppName, parseAgentId } from '../agents/agent-id.ts';
import { withinDeadline } from '@agentmesh/lib/wait';
import { agentAppNotFound, appLoading, appNotFound } from '../../errors.ts';
import { servesApp } from './app-names.ts';
import type { ServedApp } from '../building/app-version.ts';
import type { Registry } from './registry.ts';

/** All apps of an account: those of `AGENTS_DIR`, and its agents. */
export interface AppFinder {
  /**
   * Finds an app by name; without waiting where it is one of `AGENTS_DIR` that has been loaded. Fails with MeshError permission_denied `app_internal` or
   * not_found `app_not_found`, or unavailable `app_loading` when the code of an app is not loaded within a while.
   */
  find(accountId: string, name: string): ServedApp | Promise<ServedApp>;
}

/** Longest time in milliseconds for which a run waits for an app that is being loaded for the first time. */
const patienceMs = 20_000;

/** Names like `agent12` are never looked for in `AGENTS_DIR`. */
export function createAppFinder(registry: Registry, agents: AgentApps, served: readonly string[]): AppFinder {
  const loaded = async (name: string, loading: Promise<void>): Promise<ServedApp> => {
    await withinDeadline(loading, patienceMs, () => {
      throw appLoading(name);
    });
    return registry.get(name);
  };
  return {
    find(accountId, name) {
      if (!servesApp(served, name)) throw appNotFound(name, `This server serves only: ${served.join(', ')}.`);
      if (!isAgentAppName(name)) {
        const loading = registry.loading(name);
        return loading === undefined ? registry.get(name) : loaded(name, loading);
      }
      const agentId = parseAgentId(name);
      if (agentId === undefined) throw agentAppNotFound(name);
      return agents.find(accountId, agentId);
    },
  };
}

import type { AgentApps } from '../agents/agent-apps.ts';
import { isAgentAppName, parseAgentId } from '../agents/agent-id.ts';
import { withinDeadline } from '@agentmesh/lib/wait';
import { agentAppNotFound, appLoading, appNotFound } from '../../errors.ts';
import { servesApp } from './app-names.ts';
import type { ServedApp } from '../building/app-version.ts';
import type { Registry } from './registry.ts';
import type { AppsWatch } from './watch-apps.ts';

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
/** The same for changed files: then the last good version serves. */
const changeMs = 5_000;

export interface AppSources {
  readonly registry: Registry;
  readonly agents: AgentApps;
  readonly watch: Pick<AppsWatch, 'settled'>;
  /** Apps that this process serves; empty: all. */
  readonly served: readonly string[];
  /** Changed files with mistakes serve no runs: the last good version does not either. */
  readonly refusesMistakes: boolean;
}

/** Names like `agent12` are never looked for in `AGENTS_DIR`. */
export function createAppFinder({ registry, agents, watch, served, refusesMistakes }: AppSources): AppFinder {
  const latest = (name: string): Promise<ServedApp> =>
    withinDeadline(registry.latest(name), patienceMs, () => {
      throw appLoading(name);
    });
  const changed = async (name: string, settled: Promise<void>): Promise<ServedApp> => {
    await withinDeadline(settled, changeMs, () => undefined);
    return registry.get(name);
  };
  const loaded = async (name: string, loading: Promise<void>): Promise<ServedApp> => {
    await withinDeadline(loading, patienceMs, () => {
      throw appLoading(name);
    });
    return registry.get(name);
  };
  const ofFiles = (name: string): ServedApp | Promise<ServedApp> => {
    const settled = watch.settled(name);
    if (settled !== undefined) return changed(name, settled);
    const loading = registry.loading(name);
    return loading === undefined ? registry.get(name) : loaded(name, loading);
  };
  return {
    find(accountId, name) {
      if (!servesApp(served, name)) throw appNotFound(name, `This server serves only: ${served.join(', ')}.`);
      if (!isAgentAppName(name)) return refusesMistakes ? latest(name) : ofFiles(name);
      const agentId = parseAgentId(name);
      if (agentId === undefined) throw agentAppNotFound(name);
      return agents.find(accountId, agentId);
    },
  };
}

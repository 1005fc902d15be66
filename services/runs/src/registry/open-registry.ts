import { readdir } from 'node:fs/promises';
import { type Host, SettingsError } from '@agentmesh/lib/service';
import type { RunsConfig, runsSettings } from '../config.ts';
import { createModels } from '../models/index.ts';
import { createGuardedFetch } from '@agentmesh/lib/outbound';
import { createRegistry, type Registry } from './registry.ts';
import { watchApps } from './watch-apps.ts';

/** Loads the apps and watches their folder until the host closes. Throws SettingsError when `AGENTS_DIR` cannot be read. */
export async function openRegistry(host: Host<typeof runsSettings>, config: RunsConfig): Promise<Registry> {
  const { log, resources } = host;
  const { agentsDir: dir, maxModelCalls } = config;
  if (host.config.AGENTS_DIR !== undefined) await requireFolder('AGENTS_DIR', dir);
  const models = createModels(config.models, { onFailure: (failure) => log.warn(failure, 'model call failed') });
  const toolDeps = { fetch: createGuardedFetch({ allow: config.tools.allow }) };
  const registry = await createRegistry({ dir, log, models, toolDeps, maxModelCalls });
  resources.use(await watchApps({ dir, registry, log }));
  return registry;
}

async function requireFolder(variable: string, dir: string): Promise<void> {
  try {
    await readdir(dir);
  } catch {
    throw new SettingsError(new Map([[variable, `names a folder that cannot be read: ${dir}`]]));
  }
}

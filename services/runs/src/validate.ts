import { readdir } from 'node:fs/promises';
import { parseSettings } from '@agentmesh/lib/service';
import { readRunsConfig, runsSettings } from './config.ts';

/**
 * Checks the apps of a folder without starting anything, and prints each mistake as `file:line:column: reason`. Returns whether there is none.
 * Throws SettingsError, or the system's error when there is no such folder.
 */
export async function validate(
  folder: string,
  env: NodeJS.ProcessEnv,
  print: (line: string) => void,
): Promise<boolean> {
  await readdir(folder);
  const config = readRunsConfig(parseSettings(runsSettings, env));
  const { validateApps } = await import('./apps/registry/validate-apps.ts');
  const { good, mistakes } = await validateApps(folder, config);
  for (const mistake of mistakes) print(mistake);
  if (mistakes.length === 0) print(good.length === 0 ? 'no apps are here' : `good: ${good.toSorted().join(', ')}`);
  return mistakes.length === 0 && good.length > 0;
}

import { join } from 'node:path';
import { root } from './deployed-settings.ts';
import { installPython } from './fakes/python.ts';

export { hasPython, installPython, runUv } from './fakes/python.ts';

/** Installs the client of this repository, and other packages, into an empty environment in a folder. Returns the path of its Python. */
export function installPythonClient(folder: string, ...others: readonly string[]): Promise<string> {
  // Without this option uv installs what it built of this folder earlier, also when its sources have changed.
  return installPython(folder, '--refresh-package=agentmesh', join(root, 'sdk', 'python'), ...others);
}

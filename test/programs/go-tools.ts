import { spawnSync } from 'node:child_process';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** Built programs are kept there, because some take minutes. */
export const goToolCache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'agentmesh-go-tools');

/** True when this machine has Go. */
export const hasGo = spawnSync('go', ['version'], { stdio: 'ignore' }).status === 0;

/**
 * Path of a program that is written in Go: of this machine, of the cache, or built from its module, such as `example.com/cmd/tool@v1.2.3`. Undefined, with a warning, when there is none and no
 * Go to build it.
 */
export function findGoTool(name: string, module: string): string | undefined {
  const folder = join(goToolCache, module.replace(/^.*@/, ''));
  const found = [...(process.env.PATH ?? '').split(delimiter), folder].map((it) => join(it, name)).find(isProgram);
  if (found !== undefined) return found;
  if (!hasGo) {
    process.stderr.write(`\n*** NO ${name.toUpperCase()} and no Go to build it: what needs it is SKIPPED. ***\n\n\n`);
    return undefined;
  }
  mkdirSync(folder, { recursive: true });
  const env = { ...process.env, GOBIN: folder, CGO_ENABLED: '0' };
  const { status } = spawnSync('go', ['install', module], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`go install ${module} ended with ${status}`);
  return join(folder, name);
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

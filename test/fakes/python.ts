import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** True when this machine can make Python environments. A laptop with Node alone has no Python. */
export const hasPython = spawnSync('python3', ['-c', 'import venv, ensurepip'], { stdio: 'ignore' }).status === 0;

/** Installs packages into an empty environment in a folder. Returns the path of its Python. */
export async function installPython(folder: string, ...packages: readonly string[]): Promise<string> {
  const python = join(folder, 'bin', 'python');
  await mustRun('python3', '-m', 'venv', folder);
  // Python compiles what it imports; pip would compile every file of every package, which takes as long as the rest.
  await mustRun(python, '-m', 'pip', 'install', '--quiet', '--no-compile', ...packages);
  return python;
}

async function mustRun(program: string, ...args: string[]): Promise<void> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const written = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}: ${(await written).join('')}`);
}

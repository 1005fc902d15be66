import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeRoutes } from '@agentmesh/gateway';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The file of the Python client that is generated from the OpenAPI document. */
export const pythonModelsFile = join('sdk', 'python', 'src', 'agentmesh', 'models.py');
/** True when the file was made from the present description, whose hash it carries: a check that needs no Python. */
export async function arePythonModelsCurrent(): Promise<boolean> {
  const hash = createHash('sha256')
    .update(JSON.stringify(await describeRoutes()))
    .digest('hex');
  return readFileSync(join(root, pythonModelsFile), 'utf8').includes(hash);
}

/** The text of `pythonModelsFile` for the routes of the gateway, made by a Python that has the generator. */
export async function pythonModelsText(python: string): Promise<string> {
  const script = join(root, 'sdk', 'python', 'make_models.py');
  const input = JSON.stringify(await describeRoutes());
  return mustRun(python, ['-B', script], input);
}

/** A Python that has the generator, in a folder of its own; undefined where there is no Python. */
export function pythonWithGenerator(): string | undefined {
  const folder = join(root, 'node_modules', '.cache', 'python-models');
  const python = join(folder, 'bin', 'python');
  if (existsSync(python)) return python;
  if (spawnSync('python3', ['-m', 'venv', folder], { stdio: 'ignore' }).status !== 0) return undefined;
  mustRun(python, ['-m', 'pip', 'install', '--quiet', '--no-compile', `${join(root, 'sdk', 'python')}[generate]`]);
  return python;
}

function mustRun(program: string, args: readonly string[], input?: string): string {
  const { status, stdout, stderr } = spawnSync(program, args, { input, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed:\n${stderr}`);
  return stdout;
}

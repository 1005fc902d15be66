import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs commands in a folder, and ends at the first that fails. Resolves with what they print. */
export async function runShell(
  commands: string,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const { stdout } = await run('sh', ['-ec', commands], { cwd, env: { ...process.env, ...env } });
  return stdout;
}

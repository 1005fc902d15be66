import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/**
 * Runs a script with `variant` as its argument in a Node process with `gc()`, so that the heap holds only what the script makes.
 * Resolves with the number that the script prints.
 */
export async function measureInChild(script: URL, variant: string): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', fileURLToPath(script), variant]);
  const measured = Number.parseFloat(stdout);
  if (Number.isNaN(measured)) throw new Error(`${script.href} ${variant} printed no number: ${stdout}`);
  return measured;
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const installMs = 240_000;

/**
 * Path of a Chromium: `CHROMIUM_PATH`, the one of this machine, or Debian's, which is installed if we are root. Undefined, with
 * a warning, when there is none.
 */
export async function findChromium(): Promise<string | undefined> {
  const found = process.env.CHROMIUM_PATH ?? (await ofMachine()) ?? (await installed());
  if (found === undefined)
    process.stderr.write(
      '\n*** NO CHROMIUM: what needs a browser is SKIPPED. Install one, or set CHROMIUM_PATH. ***\n\n\n',
    );
  return found;
}

async function ofMachine(): Promise<string | undefined> {
  const folders = (process.env.PATH ?? '').split(delimiter);
  for (const path of names.flatMap((name) => folders.map((folder) => join(folder, name)))) {
    if (await isProgram(path)) return path;
  }
  return undefined;
}

function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function installed(): Promise<string | undefined> {
  if (process.getuid?.() !== 0 || !(await isProgram('/usr/bin/apt-get'))) return undefined;
  const deadline = AbortSignal.timeout(installMs);
  const install = ['install', '-y', '-qq', '--no-install-recommends', 'chromium'];
  const isThere = (await run(['update', '-qq'], deadline)) && (await run(install, deadline));
  return isThere ? ofMachine() : undefined;
}

async function run(args: readonly string[], signal: AbortSignal): Promise<boolean> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const child = spawn('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env, signal });
  const [code] = (await once(child, 'close').catch(() => [1])) as [number | null];
  return code === 0;
}

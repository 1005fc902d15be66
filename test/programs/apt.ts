import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants } from 'node:fs/promises';

const installMs = 240_000;

/** Installs a package of Debian, with its newest list, if we are root. False when that is not possible. */
export async function installPackage(name: string): Promise<boolean> {
  if (process.getuid?.() !== 0 || !(await hasApt())) return false;
  const deadline = AbortSignal.timeout(installMs);
  const install = ['install', '-y', '-qq', '--no-install-recommends', name];
  return (await run(['update', '-qq'], deadline)) && (await run(install, deadline));
}

function hasApt(): Promise<boolean> {
  return access('/usr/bin/apt-get', constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function run(args: readonly string[], signal: AbortSignal): Promise<boolean> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const child = spawn('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env, signal });
  const [code] = (await once(child, 'close').catch(() => [1])) as [number | null];
  return code === 0;
}

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

const packages = ['google-adk[a2a]==2.13.0'];
const installMs = 240_000;
/** Outside of the repository, so that clones share it. */
const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'agent-mesh', 'python-adk-2.13.0');
const script = fileURLToPath(new URL('shouter.py', import.meta.url));

/** The Python of an environment with ADK, which is made once; or why there is none. */
export function findPythonWithAdk(): { python: string } | { missing: string } {
  const python = join(cache, 'bin', 'python');
  if (existsSync(python)) return { python };
  const mayInstall = process.env['VERIFY'] === 'full';
  if (!mayInstall) return { missing: 'npm run verify -- services/runs/test/a2a installs google-adk by pip, once' };
  return install(python);
}

/** Made under another name and renamed, so that an interrupted installation is not taken for a whole one. */
function install(python: string): { python: string } | { missing: string } {
  const making = `${cache}.${process.pid}`;
  mkdirSync(join(cache, '..'), { recursive: true });
  const made = spawnSync('python3', ['-m', 'venv', making], { timeout: installMs });
  if (made.status !== 0) return { missing: 'there is no python3 with venv' };
  const args = ['-m', 'pip', 'install', '--quiet', ...packages];
  const installed = spawnSync(join(making, 'bin', 'python'), args, { timeout: installMs });
  if (installed.status !== 0) {
    rmSync(making, { recursive: true, force: true });
    return { missing: `pip could not install ${packages.join(' ')}` };
  }
  renameSync(making, cache);
  return { python };
}

/** Starts the agent; returns the address of its card. */
export async function startPythonAgent(python: string, resources: AsyncDisposableStack): Promise<string> {
  const port = await freePort();
  const child = spawn(python, [script, String(port)], { stdio: 'ignore' });
  resources.defer(async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  const card = `http://127.0.0.1:${port}/.well-known/agent-card.json`;
  const isUp = () =>
    fetch(card).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(isUp, { timeout: 40_000 }).toBe(true);
  return card;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

#!/usr/bin/env node
// In a clone of the repository the sources run as they are, on the Node version that the repository installs; the package has one built file.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('src/main.ts', import.meta.url));

if (existsSync(source)) {
  const bundled = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url));
  const node = existsSync(bundled) ? bundled : process.execPath;
  const child = spawn(node, [source, ...process.argv.slice(2)], { stdio: 'inherit' });
  // A terminal sends Ctrl-C to the command too, which decides what it means.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'));
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.once('exit', (code, signal) => (signal ? process.kill(process.pid, signal) : process.exit(code)));
} else {
  await import('./dist/agentmesh.mjs');
}

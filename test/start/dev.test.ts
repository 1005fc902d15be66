import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { freePorts } from '@agentmesh/lib/rpc/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { plainAgentsDir } from '../mesh.ts';
import { occupy, root } from './run-main.ts';
import { plainEnvironment } from '../plain-environment.ts';

/** A tree of its own for `dev`, so that the `.env` of this checkout is neither read nor written. */
let tree: string;
let opened: AsyncDisposableStack;

beforeEach(async () => {
  opened = new AsyncDisposableStack();
  tree = await mkdtemp(join(tmpdir(), 'dev-'));
  opened.defer(() => rm(tree, { recursive: true }));
  await chmod(tree, 0o711);
  for (const name of ['main.ts', 'package.json', 'scripts']) {
    await cp(join(root, name), join(tree, name), { recursive: true });
  }
  await symlink(join(root, 'node_modules'), join(tree, 'node_modules'));
});

afterEach(() => opened.disposeAsync());

interface Dev {
  readonly process: ChildProcess;
  /** Everything printed so far: at first the whole welcome text, or all until the end. */
  readonly output: string;
}

async function startDev(env: Record<string, string | undefined> = {}): Promise<Dev> {
  const database = opened.use(await testDatabaseUrl());
  const child = spawn(process.execPath, ['scripts/dev.ts'], {
    cwd: tree,
    env: { ...plainEnvironment, DATABASE_URL: database.url, LOG_LEVEL: 'silent', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  opened.defer(async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  let output = '';
  const { promise: settled, resolve } = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('"streaming":true}')) resolve();
    });
  }
  child.once('close', () => resolve());
  await settled;
  return {
    process: child,
    get output() {
      return output;
    },
  };
}

function found(text: string, pattern: RegExp): string {
  return pattern.exec(text)?.[1] ?? '';
}

describe('npm run dev', { timeout: 90_000 }, () => {
  test('takes free ports when 8000 and 9090 are in use, and prints these ports and commands for them', async () => {
    opened.use(await occupy(8000));
    opened.use(await occupy(9090));
    const { output } = await startDev();
    const port = found(output, /^Port 8000 is in use: the API will be on port (\d+) \(PORT\)\.$/m);
    const opsPort = found(output, /^Port 9090 is in use: metrics and health will be on port (\d+) \(OPS_PORT\)\.$/m);
    expect(output).toContain(`Agent Mesh is ready at http://127.0.0.1:${port} `);
    expect(output.match(/http:\/\/127\.0\.0\.1:\d+/g)).toEqual(Array(7).fill(`http://127.0.0.1:${port}`));
    const description = await fetch(`http://127.0.0.1:${port}/openapi.json`);
    expect(await description.json()).toMatchObject({ servers: [{ url: `http://127.0.0.1:${port}` }] });
    expect((await fetch(`http://127.0.0.1:${opsPort}/readyz`)).status).toBe(200);
  });

  test('prints a line for each request, as JSON where no terminal reads it', async () => {
    const dev = await startDev({ AGENTS_DIR: plainAgentsDir, LOG_LEVEL: undefined, PORT: '0', OPS_PORT: '0' });
    const address = `${found(dev.output, /Agent Mesh is ready at (\S+)/)}/openapi.json`;
    const lines = () => dev.output.split('\n').filter((line) => line.includes('"msg":"request"'));
    // A request that takes longer than a second has a line of another level, so on a busy machine the next one is asked.
    const ask = async () => {
      await fetch(address);
      return lines().map((line) => JSON.parse(line) as object);
    };
    await expect
      .poll(ask)
      .toContainEqual(expect.objectContaining({ level: 'access', method: 'GET', route: '/openapi.json', status: 200 }));
  });

  test('prints one line for the migrations of a service, and one for all apps', async () => {
    const agents = join(tree, 'agents');
    for (const name of ['first', 'second']) {
      await mkdir(join(agents, name), { recursive: true });
      await writeFile(join(agents, name, 'root_agent.yaml'), `name: ${name}\nmodel: echo/echo\ninstruction: Help.\n`);
    }
    const env = { LOG_LEVEL: undefined, LOG_FORMAT: 'plain', AGENTS_DIR: agents, PORT: '0', OPS_PORT: '0' };
    const lines = (await startDev(env)).output.split('\n');
    const schemas = lines.flatMap((line) => /migrations? applied .*schema=(\S+)/.exec(line)?.[1] ?? []);
    expect(schemas).toContain('sessions');
    expect(schemas).toEqual([...new Set(schemas)]);
    expect(lines.filter((line) => /\bapps? loaded\b/.test(line))).toEqual([
      expect.stringContaining('apps=["first","second"]'),
    ]);
  });

  test('starts twice at the same time, and names an app of each AGENTS_DIR', async () => {
    const agents = join(tree, 'agents');
    await mkdir(join(agents, 'helper'), { recursive: true });
    await writeFile(join(agents, 'helper/root_agent.yaml'), 'name: helper\nmodel: echo/echo\ninstruction: Help.\n');
    const [first, second] = await Promise.all([startDev({ AGENTS_DIR: agents }), startDev()]);
    expect(first.output).toContain('/apps/helper/users/');
    expect(first.output).toContain('"appName":"helper"');
    expect(second.output).toContain('"appName":"echo"');
    const addressOf = ({ output }: Dev): string => found(output, /Agent Mesh is ready at (\S+)/);
    expect(addressOf(first)).not.toBe('');
    expect(addressOf(second)).not.toBe('');
    expect(addressOf(first)).not.toBe(addressOf(second));
  });

  test.each(['PORT', 'OPS_PORT'])('uses the %s that .env sets, and exits when it is in use', async (setting) => {
    const busy = opened.use(await occupy(0));
    await writeFile(join(tree, '.env'), `ENCRYPT_KEY=${'k'.repeat(32)}\n${setting}=${busy.port}\n`);
    // The usual other port may be in use on this machine, which `dev` would tell.
    const env = { AGENTS_DIR: plainAgentsDir, [setting === 'PORT' ? 'OPS_PORT' : 'PORT']: '0' };
    const { process: ended, output } = await startDev(env);
    await expect.poll(() => ended.exitCode).toBe(1);
    expect(output).toBe(
      `${setting}: 127.0.0.1:${busy.port} is already in use. ` +
        `Stop the program that listens there, or set another ${setting}.\n`,
    );
  });

  test('writes a random key once, to a file that only its owner can read', async () => {
    const [port, opsPort] = await freePorts(2);
    const env = { AGENTS_DIR: plainAgentsDir, PORT: String(port), OPS_PORT: String(opsPort) };
    const first = await startDev(env);
    first.process.kill('SIGTERM');
    await once(first.process, 'exit');
    const file = join(tree, '.env');
    const written = await readFile(file, 'utf8');
    expect(written).toMatch(/^ENCRYPT_KEY=[\w-]{43}\n$/);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await startDev(env);
    expect(await readFile(file, 'utf8')).toBe(written);
  });
});

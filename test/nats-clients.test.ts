import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { openDriver } from '@agentmesh/lib/bus';
import { findNatsServer, type TestNats } from '@agentmesh/lib/bus/testing';
import { createLogger } from '@agentmesh/lib/telemetry';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from './deployed-settings.ts';
import { passwordOf, startDeployedNats } from './nats.ts';

const run = promisify(execFile);
const page = readFileSync(join(root, 'docs', 'subjects.md'), 'utf8');
const server = await findNatsServer();
const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'agent-mesh');
const installMs = 240_000;
const goCommand = existsSync('/usr/local/go/bin/go') ? '/usr/local/go/bin/go' : 'go';

/** The example in a language. */
const exampleIn = (language: string): string =>
  new RegExp(`^\`\`\`${language} no-run: test/nats-clients[^\\n]*\\n(.*?)^\`\`\``, 'ms').exec(page)?.[1] ?? '';

/** The result of a command that prepares a client; undefined, with a notice, when the client cannot be had here. */
async function available<T>(what: string, prepare: () => Promise<T>): Promise<T | undefined> {
  if (server === undefined) return undefined;
  try {
    return await prepare();
  } catch (error) {
    process.stderr.write(`SKIPPED: the example for ${what} is NOT run: ${String(error).slice(0, 300)}\n`);
    return undefined;
  }
}

/** A Python with nats-py, in the cache folder of the user. */
const python = await available('Python', async () => {
  const folder = join(cache, 'nats-py-2.16.0');
  const executable = join(folder, 'bin', 'python');
  if (existsSync(join(folder, 'done'))) return executable;
  await mkdir(cache, { recursive: true });
  await run('python3', ['-m', 'venv', '--clear', folder], { timeout: installMs });
  await run(executable, ['-m', 'pip', 'install', '--quiet', 'nats-py==2.16.0'], { timeout: installMs });
  await writeFile(join(folder, 'done'), '');
  return executable;
});

/** The example in Go, built. */
const goProgram = await available('Go', async () => {
  const program = join(cache, 'nats-go-example-1.55.0');
  const source = exampleIn('go');
  if (existsSync(program) && existsSync(`${program}.go`) && readFileSync(`${program}.go`, 'utf8') === source)
    return program;
  const folder = await mkdtemp(join(tmpdir(), 'nats-go-'));
  await writeFile(join(folder, 'main.go'), source);
  await writeFile(join(folder, 'go.mod'), 'module example\n\ngo 1.24\n\nrequire github.com/nats-io/nats.go v1.55.0\n');
  const options = {
    cwd: folder,
    timeout: installMs,
    env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=mod -buildvcs=false' },
  };
  await run(goCommand, ['mod', 'tidy'], options);
  await mkdir(cache, { recursive: true });
  await run(goCommand, ['build', '-o', program, '.'], options);
  await writeFile(`${program}.go`, source);
  await rm(folder, { recursive: true });
  return program;
});

/** The `nats` command of PATH, else the one in the cache folder of the user, which `VERIFY=full npm test -- test/nats-clients` builds with Go. */
const natsCommand = await available('the nats command line', async () => {
  const folder = join(cache, 'natscli-0.5.1');
  const built = join(folder, 'nats');
  const present = await run('sh', ['-c', 'command -v nats']).catch(() => undefined);
  if (present !== undefined) return present.stdout.trim();
  if (existsSync(built)) return built;
  if (process.env.VERIFY !== 'full') throw new Error('it is not in PATH; VERIFY=full builds it');
  await mkdir(cache, { recursive: true });
  const env = { ...process.env, GOBIN: folder, CGO_ENABLED: '0', GOFLAGS: '-trimpath -buildvcs=false' };
  await run(goCommand, ['install', '-ldflags=-s -w', 'github.com/nats-io/natscli/nats@v0.5.1'], {
    env,
    timeout: installMs,
  });
  return built;
});

describe.skipIf(server === undefined)('the examples of docs/subjects.md print a message of the mesh', () => {
  const resources = new AsyncDisposableStack();
  const subject = 'agentmesh.auth.v1.account_deleted';
  const payload = new Uint8Array([10, 1, 97]);
  let nats: TestNats;
  let folder: string;

  beforeAll(async () => {
    nats = resources.use(await startDeployedNats(server ?? ''));
    folder = await mkdtemp(join(tmpdir(), 'nats-clients-'));
    resources.defer(() => rm(folder, { recursive: true }));
    await symlink(join(root, 'lib', 'node_modules'), join(folder, 'node_modules'));
    const how = {
      servers: [nats.url],
      user: 'auth',
      password: passwordOf('auth'),
      inboxPrefix: '_INBOX.auth',
      name: 'auth',
    };
    const log = createLogger({ level: 'silent', name: 'clients' });
    const driver = resources.use(await openDriver({ nats: how, databaseUrl: '', log }));
    const stream = await driver.openStream({ service: 'auth', topics: [{ subject, durables: ['keys'] }] });
    let number = 0;
    const sending = setInterval(() => {
      number += 1;
      stream.append([{ id: `auth:${number}`, subject, sender: 'auth', payload }]).catch(() => undefined);
    }, 100);
    resources.defer(async () => clearInterval(sending));
  });
  afterAll(() => resources.disposeAsync());

  async function output(file: string, args: readonly string[]): Promise<string> {
    const env = { ...process.env, NATS_URL: nats.url, OBSERVER_NATS_PASSWORD: passwordOf('observer') };
    const { stdout } = await run(file, args, { cwd: folder, env, timeout: 30_000 });
    return stdout;
  }

  const expected = /^agentmesh\.auth\.v1\.account_deleted auth:\d+ 0a0161$/m;

  test('in TypeScript', async () => {
    await writeFile(join(folder, 'example.ts'), exampleIn('ts'));
    expect(await output(process.execPath, ['example.ts'])).toMatch(expected);
  });

  test.skipIf(python === undefined)('in Python', async () => {
    expect(await output(python ?? '', ['-c', exampleIn('python')])).toMatch(expected);
  });

  test.skipIf(goProgram === undefined)('in Go', async () => {
    expect(await output(goProgram ?? '', [])).toMatch(expected);
  });

  test.skipIf(natsCommand === undefined)('with the nats command line', async () => {
    const path = `PATH=${dirname(natsCommand ?? '')}:$PATH`;
    expect(await output('sh', ['-c', `${path}; ${exampleIn('sh')}`])).toContain(
      'Received on "agentmesh.auth.v1.account_deleted"',
    );
  });
});

import { execFile } from 'node:child_process';
import { access, constants, mkdir, mkdtemp, rename, rm, rmdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const version = '2.15.2';
/** Older servers cannot pin one client of a consumer. */
const oldest = [2, 11];
const module = `github.com/nats-io/nats-server/v2@v${version}`;
const buildMs = 10 * 60_000;
const goFolders = ['/usr/local/go/bin', '/usr/lib/go/bin'];

const run = promisify(execFile);

/**
 * Path of a NATS server for tests: `NATS_SERVER`, or `nats-server` in PATH, or the one in the user's cache folder, which is built with Go the first time.
 * Undefined, with a loud warning, when there is none: then tests of NATS are skipped.
 */
export async function findNatsServer(): Promise<string | undefined> {
  const given = process.env.NATS_SERVER?.trim();
  if (given) return given;
  const present = await findInPath('nats-server');
  if (present !== undefined && (await isNewEnough(present))) return present;
  try {
    return await cachedServer();
  } catch (error) {
    say(
      `\n*** TESTS OF NATS ARE SKIPPED: there is no nats-server ${oldest.join('.')} or newer. Set NATS_SERVER to one, put one into PATH, ` +
        `or install Go with a module proxy, and it is built. ***\n${String(error)}\n`,
    );
    return undefined;
  }
}

async function cachedServer(): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'agent-mesh');
  const server = join(cache, `nats-server-${version}`);
  if (await canRun(server)) return server;
  const go = await findInPath('go', goFolders);
  if (go === undefined) throw new Error('Go is not installed.');
  await mkdir(cache, { recursive: true });
  await oneAtATime(join(cache, 'building'), async () => {
    if (!(await canRun(server))) await build(go, { cache, server });
  });
  return server;
}

async function build(go: string, { cache, server }: { cache: string; server: string }): Promise<void> {
  say(`building nats-server ${version} for tests, which takes some minutes the first time`);
  const folder = await mkdtemp(join(cache, 'go-'));
  try {
    const env = { ...process.env, GOBIN: folder, CGO_ENABLED: '0', GOFLAGS: '-trimpath -buildvcs=false' };
    await run(go, ['install', '-ldflags=-s -w', module], { env, cwd: folder, timeout: buildMs });
    await rename(join(folder, 'nats-server'), server);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs `work` while no other process does. A lock that a killed process left behind counts no more when it is old. */
async function oneAtATime(lock: string, work: () => Promise<void>): Promise<void> {
  while (
    !(await mkdir(lock).then(
      () => true,
      () => false,
    ))
  ) {
    const since = await stat(lock).then(
      ({ mtimeMs }) => mtimeMs,
      () => Date.now(),
    );
    if (Date.now() - since > buildMs) await rmdir(lock).catch(() => undefined);
    await sleep(500);
  }
  try {
    await work();
  } finally {
    await rmdir(lock);
  }
}

async function findInPath(name: string, more: readonly string[] = []): Promise<string | undefined> {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...more];
  for (const folder of folders) {
    const file = join(folder, name);
    if (folder !== '' && (await canRun(file))) return file;
  }
  return undefined;
}

async function isNewEnough(server: string): Promise<boolean> {
  const { stdout } = await run(server, ['--version']);
  const [major = 0, minor = 0] = (/v(\d+)\.(\d+)/.exec(stdout) ?? []).slice(1).map(Number);
  return major > (oldest[0] ?? 0) || (major === oldest[0] && minor >= (oldest[1] ?? 0));
}

function canRun(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

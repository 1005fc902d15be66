import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePorts } from '@agentmesh/lib/rpc/testing';

const run = promisify(execFile);

export interface RedisServer extends AsyncDisposable {
  readonly url: string;
  /** Ends the server with SIGKILL. */
  stop(): Promise<void>;
  /** Starts an empty server on the same port. */
  start(): Promise<void>;
}

/** Starts redis-server on a free port. Undefined, with a loud warning, if it is missing and cannot be installed. */
export async function startRedis(): Promise<RedisServer | undefined> {
  if (!(await findRedis())) {
    process.stderr.write(
      'SKIPPED: there is no redis-server here. Install it (Debian: apt-get install redis-server) to run these tests.\n',
    );
    return undefined;
  }
  const folder = await mkdtemp(join(tmpdir(), 'redis-'));
  const [port = 0] = await freePorts(1);
  let child: ChildProcess | undefined;
  const stop = async (): Promise<void> => {
    const ended = child;
    child = undefined;
    if (ended === undefined) return;
    ended.kill('SIGKILL');
    await once(ended, 'exit');
  };
  const start = async (): Promise<void> => {
    child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder], {
      stdio: 'ignore',
    });
    await untilOpen(port);
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    stop,
    start,
    [Symbol.asyncDispose]: async () => {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function findRedis(): Promise<boolean> {
  if (await isThere()) return true;
  if (process.getuid?.() !== 0) return false;
  await run('apt-get', ['install', '-y', '--no-install-recommends', 'redis-server'], { timeout: 50_000 }).catch(
    () => {},
  );
  return isThere();
}

const isThere = (): Promise<boolean> =>
  run('redis-server', ['--version']).then(
    () => true,
    () => false,
  );

async function untilOpen(port: number): Promise<void> {
  for (let attempt = 0; attempt < 1_200; attempt += 1) {
    const socket = createConnection(port, '127.0.0.1');
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'close').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isOpen) return;
    await sleep(25);
  }
  throw new Error(`redis-server does not listen on ${port}`);
}

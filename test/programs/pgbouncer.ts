import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, constants, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '@agentmesh/lib/rpc/testing';
import { installPackage } from './apt.ts';

const path = '/usr/sbin/pgbouncer';
/** The account `nobody` of Debian. */
const nobody = { uid: 65_534, gid: 65_534 };

/** Path of PgBouncer. Debian's is installed if we are root. Undefined, with a warning, when there is none. */
export async function findPgBouncer(): Promise<string | undefined> {
  if ((await isProgram()) || ((await installPackage('pgbouncer')) && (await isProgram()))) return path;
  process.stderr.write('\n*** NO PGBOUNCER: what needs a pooler is SKIPPED. Install pgbouncer. ***\n\n\n');
  return undefined;
}

function isProgram(): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

export interface Pooler extends AsyncDisposable {
  /** Address of the database behind the pooler. */
  readonly url: string;
}

/** Starts PgBouncer in transaction mode before the database at `address`. It has 12 connections to the server for any number of clients, and knows no parameter beyond its own. */
export async function startPgBouncer(program: string, address: string): Promise<Pooler> {
  const server = new URL(address);
  const folder = await mkdtemp(join(tmpdir(), 'pgbouncer-'));
  await chmod(folder, 0o755);
  const [port = 0] = await freePorts(1);
  const config = join(folder, 'pgbouncer.ini');
  const host = decodeURIComponent(server.hostname);
  const parts = [`host=${host}`, `port=${server.port || 5432}`, `user=${server.username}`];
  if (server.password !== '') parts.push(`password=${decodeURIComponent(server.password)}`);
  const lines = [
    '[databases]',
    `* = ${parts.join(' ')}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 12',
    'max_client_conn = 500',
  ];
  await writeFile(config, lines.join('\n'));
  const child = spawn(program, ['-q', config], { stdio: ['ignore', 'ignore', 'inherit'], ...(await account(host)) });
  const ended = once(child, 'exit');
  await untilOpen(port, ended);
  const url = new URL(address);
  url.host = `127.0.0.1:${port}`;
  return {
    url: url.href,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** PgBouncer does not run as root; where the server has a socket in a folder, it runs as the owner of the folder. */
async function account(host: string): Promise<{ uid?: number; gid?: number }> {
  if (process.getuid?.() !== 0) return {};
  if (!host.startsWith('/')) return nobody;
  const { uid, gid } = await stat(host);
  return { uid, gid };
}

async function untilOpen(port: number, ended: Promise<unknown>): Promise<void> {
  let hasEnded = false;
  void ended.then(() => (hasEnded = true));
  for (;;) {
    if (hasEnded) throw new Error('PgBouncer ended.');
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await sleep(50);
  }
}

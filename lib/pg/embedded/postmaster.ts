import { type ChildProcess, spawn } from 'node:child_process';
import { access, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresHome } from './postgres-home.ts';
import { isAlive, worksIn } from './running-process.ts';

const POLL_MS = 10;
const socketName = '.s.PGSQL.5432';

/** A server that runs on a data folder. */
export interface Postmaster {
  readonly pid: number;
  readonly ready: boolean;
  readonly sockets: string;
}

interface PostmasterOptions {
  readonly postgres: string;
  readonly home: PostgresHome;
  readonly settings: readonly string[];
}

/** The server that `postmaster.pid` names, when it is alive and truly serves this data folder. */
export async function findPostmaster(home: PostgresHome): Promise<Postmaster | undefined> {
  const text = await readFile(join(home.data, 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (!(pid > 0) || !(await isAlive(pid))) return undefined;
  if (!(await worksIn(pid, home.data))) return undefined;
  return { pid, ready: lines[7]?.trim() === 'ready', sockets: await socketsOf(home, lines[4]) };
}

/** The folder with the server's socket: the server's own word names the former one when the data folder was moved while it ran. */
async function socketsOf(home: PostgresHome, noted: string | undefined): Promise<string> {
  for (const folder of [home.sockets, join(home.folder, 'run')]) {
    const isThere = await access(join(folder, socketName)).then(
      () => true,
      () => false,
    );
    if (isThere) return folder;
  }
  return noted ?? home.sockets;
}

/**
 * Starts a server in a session of its own: a terminal's Ctrl-C reaches the mesh, which stops the server after it has drained.
 * Its log goes to a file, because a pipe would end with the mesh.
 */
export async function spawnPostmaster({ postgres, home, settings }: PostmasterOptions): Promise<ChildProcess> {
  const log = await open(home.log, 'w', 0o600);
  try {
    const args = ['-D', home.data, ...[...serverSettings(home), ...settings].flatMap((setting) => ['-c', setting])];
    const child = spawn(postgres, args, {
      cwd: home.folder,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      env: serverEnvironment(),
      ...home.account,
    });
    child.unref();
    return child;
  } finally {
    await log.close();
  }
}

/** Environment of the server without that of the mesh, which has keys, and PG* variables that are meant for clients. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
}

function serverSettings(home: PostgresHome): string[] {
  return [
    'listen_addresses=',
    `unix_socket_directories="${home.sockets.replaceAll('"', '""')}"`,
    'unix_socket_permissions=0700',
    'port=5432',
    'fsync=on',
    'shared_buffers=64MB',
    // PostgreSQL's values. Those in the data folder are multiples of the size of its log files.
    'min_wal_size=80MB',
    'max_wal_size=1GB',
    'max_connections=100',
    'timezone=UTC',
    // Statements of a service hold data of users, and the service itself handles refused ones.
    'log_min_messages=log',
    'log_min_error_statement=panic',
    'log_checkpoints=off',
  ];
}

/** Fast shutdown: open transactions are rolled back, what is committed is flushed. Resolves when the server is gone. */
export async function stopPostmaster(pid: number): Promise<void> {
  try {
    process.kill(pid, 'SIGINT');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return;
    throw error;
  }
  while (await isAlive(pid)) await sleep(POLL_MS);
}

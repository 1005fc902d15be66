import { createHash, randomBytes } from 'node:crypto';
import {
  chmod,
  chown,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  readlink,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Logger } from '../../telemetry/index.ts';
import { SYSTEM_FOLDER } from './native-binaries.ts';
import { type Account, isReachable, postgresAccount } from './postgres-account.ts';

/** A unix socket's path has room for 107 bytes; the longest name in the folder is `.s.PGSQL.5432.lock`. */
const SOCKET_FOLDER_BYTES = 107 - '/.s.PGSQL.5432'.length;

/** Paths of the files of one embedded PostgreSQL, and the user that it runs as. Paths are absolute, without symbolic links. */
export interface PostgresHome {
  readonly folder: string;
  readonly data: string;
  readonly sockets: string;
  readonly log: string;
  /** File with the id of the mesh process that has to stop the server. */
  readonly owner: string;
  /** File with the id of an owner that drains, and stops the server when it has. */
  readonly leaving: string;
  readonly password: string;
  readonly account: Account | undefined;
}

/**
 * Lays out `<dataDir>/postgres`. The server listens on a unix socket alone, in a folder of mode 700: root can enter every folder, and
 * any other user runs the server under the same account. The socket asks for a password as well (scram, random, in a file of mode 600),
 * because root's mesh shares the account `nobody` with other programs.
 */
export async function preparePostgresHome(dataDir: string, log: Logger): Promise<PostgresHome> {
  await makeDataDir(dataDir, await postgresAccount(join(dataDir, 'postgres', 'data')));
  const folder = await homeFolder(join(dataDir, 'postgres'), log);
  const account = await postgresAccount(join(folder, 'data'));
  const sockets = await socketFolder(folder, account);
  return {
    folder,
    data: join(folder, 'data'),
    sockets,
    log: join(folder, 'postgres.log'),
    owner: join(folder, 'owner'),
    leaving: join(folder, 'leaving'),
    password: await password(folder),
    account,
  };
}

/**
 * Creates DATA_DIR with mode 0700. Where root starts PostgreSQL under another account, a folder of root that is closed to
 * everybody else gets mode 0710 and that account's group: the account passes through to its own files and lists nothing.
 */
async function makeDataDir(folder: string, account: Account | undefined): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  await mkdir(folder, { mode: 0o700 }).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST' || !(await stat(folder)).isDirectory()) throw error;
  });
  if (account === undefined) return;
  const { uid, mode } = await stat(folder);
  if (uid !== 0 || (mode & 0o077) !== 0) return;
  await chown(folder, 0, account.gid);
  await chmod(folder, 0o710);
}

async function homeFolder(wanted: string, log: Logger): Promise<string> {
  const account = await postgresAccount(join(wanted, 'data'));
  const present = await realpath(wanted).catch(() => undefined);
  if (present !== undefined && (await isReachable(present, account))) return present;
  // A server beside it would begin without the data.
  const gone = present === undefined ? await readlink(wanted).catch(() => undefined) : undefined;
  if (gone !== undefined)
    throw new Error(
      `${wanted} leads to ${gone}, which is not there: restore its data, or remove the link to begin anew`,
    );
  if (await isReachable(await realpath(dirname(wanted)), account)) {
    await mkdir(wanted, { recursive: true, mode: 0o711 });
    return realpath(wanted);
  }
  if (present !== undefined)
    throw new Error(`uid ${account?.uid} cannot enter ${present}, where its PostgreSQL data are`);
  return moveOut(wanted, log);
}

// Root's home has mode 700 in most containers, and PostgreSQL cannot run as root: its files go where it can reach them.
async function moveOut(wanted: string, log: Logger): Promise<string> {
  await mkdir(SYSTEM_FOLDER, { recursive: true, mode: 0o755 });
  const folder = await mkdtemp(join(SYSTEM_FOLDER, 'postgres-'));
  await chmod(folder, 0o711);
  await symlink(folder, wanted);
  log.warn(
    { folder, link: wanted },
    'PostgreSQL does not run as root and cannot enter DATA_DIR: its files are kept elsewhere',
  );
  return realpath(wanted);
}

async function socketFolder(home: string, account: Account | undefined): Promise<string> {
  const inside = join(home, 'run');
  const folder = Buffer.byteLength(inside) <= SOCKET_FOLDER_BYTES ? inside : temporarySocketFolder(home);
  await makePrivateFolder(folder, account);
  return folder;
}

function temporarySocketFolder(home: string): string {
  const name = createHash('sha256').update(home).digest('hex').slice(0, 16);
  return join(tmpdir(), `agentmesh-${name}`);
}

/** Makes a folder of mode 700 for the account; throws when somebody else has made it first. */
export async function makePrivateFolder(folder: string, account: Account | undefined): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const found = await lstat(folder);
  const self = process.getuid?.();
  const expected = account?.uid ?? self;
  const trusted = found.isDirectory() && (found.uid === self || found.uid === expected) && (found.mode & 0o077) === 0;
  if (!trusted) throw new Error(`${folder} is not a private folder of this account: remove it`);
  if (account !== undefined) await chown(folder, account.uid, account.gid);
}

async function password(home: string): Promise<string> {
  const file = join(home, 'password');
  const known = await readFile(file, 'utf8').catch(() => undefined);
  if (known !== undefined && known !== '') return known;
  // A power cut has left it empty, at a start that did not flush it.
  if (known === '') await rm(file);
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, randomBytes(24).toString('base64url'), { mode: 0o600, flush: true });
  // The first of several starts wins, and its file is complete the moment it is there.
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(draft);
  return readFile(file, 'utf8');
}

import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The system account that PostgreSQL runs as. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

const NOBODY: Account = { uid: 65534, gid: 65534 };

/**
 * PostgreSQL refuses to run as root. Root's mesh runs it as the owner of an existing data folder, else as the system's
 * `postgres`, else as `nobody`; any other user runs it under the same account, which is `undefined`.
 */
export async function postgresAccount(dataFolder: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(dataFolder).catch(() => undefined);
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const accounts = await readFile('/etc/passwd', 'utf8').catch(() => '');
  return findAccount(accounts, 'postgres') ?? findAccount(accounts, 'nobody') ?? NOBODY;
}

function findAccount(passwd: string, name: string): Account | undefined {
  const line = passwd.split('\n').find((entry) => entry.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  if (uid === undefined || gid === undefined) return undefined;
  // Some systems write the ids of the account `nobody` as -2.
  return { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 };
}

/** True when the account may enter `path` and every folder above it, judged by their mode bits. */
export async function isReachable(path: string, account: Account | undefined): Promise<boolean> {
  if (account === undefined) return true;
  const { uid, gid, mode } = await stat(path);
  const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
  if ((mode & bit) === 0) return false;
  const parent = dirname(path);
  return parent === path || isReachable(parent, account);
}

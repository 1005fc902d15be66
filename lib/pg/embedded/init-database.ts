import { spawn } from 'node:child_process';
import { access, chown, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../telemetry/index.ts';
import type { Binaries } from './native-binaries.ts';
import { type PostgresHome, makePrivateFolder } from './postgres-home.ts';
import { PostgresStartError } from './postgres-start-error.ts';
import { serverEnvironment } from './postmaster.ts';
import { isAlive } from './running-process.ts';

export const SUPERUSER = 'agentmesh';
const DRAFT = 'initdb-';
/**
 * Size in MiB of a file of the write-ahead log. All commits wait while the next one is made, written with zeros and flushed: 20 ms and more with
 * PostgreSQL's 16 MiB, 4 ms with this.
 */
const WAL_SEGMENT_MIB = 4;

/** Creates the data folder unless it exists. A start that was killed, or that lost a race, leaves no partial folder. */
export async function initDatabase(binaries: Binaries, home: PostgresHome, log: Logger): Promise<void> {
  await removeAbandonedDrafts(home);
  if (await isInitialized(home)) return;
  log.info({ folder: home.data }, 'creating the PostgreSQL data folder, once');
  const draft = join(home.folder, `${DRAFT}${process.pid}`);
  await makePrivateFolder(draft, home.account);
  try {
    await runInitdb(binaries, draft, home);
    await rename(join(draft, 'data'), home.data);
  } catch (error) {
    if (!(await isInitialized(home))) throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function isInitialized(home: PostgresHome): Promise<boolean> {
  return access(join(home.data, 'PG_VERSION')).then(
    () => true,
    () => false,
  );
}

/** A draft with the id of this process is of an earlier one: in a container each start has the same id. */
async function removeAbandonedDrafts(home: PostgresHome): Promise<void> {
  for (const name of await readdir(home.folder)) {
    const maker = Number(name.slice(DRAFT.length));
    if (!name.startsWith(DRAFT) || (maker !== process.pid && (await isAlive(maker)))) continue;
    await rm(join(home.folder, name), { recursive: true, force: true });
  }
}

async function runInitdb({ initdb, major }: Binaries, draft: string, home: PostgresHome): Promise<void> {
  const passwordFile = join(draft, 'password');
  await writeFile(passwordFile, home.password, { mode: 0o600 });
  if (home.account !== undefined) await chown(passwordFile, home.account.uid, home.account.gid);
  const args = ['-D', join(draft, 'data'), '--no-locale', '-E', 'UTF8', '-U', SUPERUSER, '--auth=scram-sha-256'];
  args.push(`--pwfile=${passwordFile}`, `--wal-segsize=${WAL_SEGMENT_MIB}`);
  // The password is random and as long as a key: stretching it would only make each connection slower.
  if (major >= 16) args.push('-c', 'scram_iterations=1');
  const child = spawn(initdb, args, {
    cwd: home.folder,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: serverEnvironment(),
    ...home.account,
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new PostgresStartError(`initdb failed: ${stderr.trim()}`);
}

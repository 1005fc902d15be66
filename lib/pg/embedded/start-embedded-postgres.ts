import { readFile, writeFile } from 'node:fs/promises';
import type { Logger } from '../../telemetry/index.ts';
import { adoptOrStart } from './adopt-or-start.ts';
import { initDatabase, SUPERUSER } from './init-database.ts';
import { nativeBinaries } from './native-binaries.ts';
import { type PostgresHome, preparePostgresHome } from './postgres-home.ts';
import { stopPostmaster } from './postmaster.ts';
import { isAlive, processIdentity } from './running-process.ts';

/** Recovery after a crash replays what was not yet flushed, and takes its time on a slow disk. */
const START_TIMEOUT_MS = 120_000;

export interface EmbeddedOptions {
  /** Absolute; the server's files go into its folder `postgres`. */
  readonly dataDir: string;
  readonly log: Logger;
  /** Further server settings as `name=value`; they win over ours. */
  readonly settings?: readonly string[];
  /** Aborts a start that is in progress. */
  readonly signal?: AbortSignal;
}

/**
 * A PostgreSQL server of our own. Disposing it shuts it down (fast, flushed) and waits, unless another living process owns it.
 */
export interface EmbeddedPostgres extends AsyncDisposable {
  /** postgres:// address over a unix socket, with the superuser's password: for processes of this machine that may read DATA_DIR. */
  readonly url: string;
  /** True when the server was already running. */
  readonly adopted: boolean;
  /** The server's process id. */
  readonly pid: number;
}

/**
 * Serves `<dataDir>/postgres` with the PostgreSQL programs from npm; the first start creates the data.
 *
 * A server that already runs there is adopted. When the process that owned it is dead, it is ours from now on and is stopped on
 * dispose; when that process lives, the server stays and ends with its owner. After a `kill -9` of everything
 * PostgreSQL's own recovery brings back what was committed. Throws an Error with the end of the server's log
 * when it does not start.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { dataDir, log } = options;
  const deadline = AbortSignal.timeout(START_TIMEOUT_MS);
  const signal = options.signal === undefined ? deadline : AbortSignal.any([options.signal, deadline]);
  const home = await preparePostgresHome(dataDir, log);
  const binaries = await nativeBinaries(home.account);
  await initDatabase(binaries.initdb, home, log);
  const { postmaster, adopted } = await adoptOrStart({
    home,
    postgres: binaries.postgres,
    settings: options.settings ?? [],
    log,
    signal,
  });
  const self = await processIdentity(process.pid);
  const owned = !(adopted && (await hasLivingOwner(home)));
  if (owned) await writeFile(home.owner, self);
  log.info({ server: postmaster.pid, adopted, folder: home.folder }, 'embedded PostgreSQL is ready');
  return {
    url: `postgres://${SUPERUSER}:${home.password}@${encodeURIComponent(postmaster.sockets)}/postgres`,
    adopted,
    pid: postmaster.pid,
    [Symbol.asyncDispose]: async () => {
      // When two processes adopted it from a dead owner, the one that was written last owns it.
      if (owned && (await readOwner(home)) === self) await stopPostmaster(postmaster.pid);
    },
  };
}

async function hasLivingOwner(home: PostgresHome): Promise<boolean> {
  const owner = await readOwner(home);
  const pid = Number.parseInt(owner, 10);
  return pid > 0 && (await isAlive(pid)) && (await processIdentity(pid)) === owner;
}

async function readOwner(home: PostgresHome): Promise<string> {
  return readFile(home.owner, 'utf8').catch(() => '');
}

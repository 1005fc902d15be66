import type { ChildProcess } from 'node:child_process';
import { access, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../telemetry/index.ts';
import type { PostgresHome } from './postgres-home.ts';
import { PostgresStartError } from './postgres-start-error.ts';
import { isRunning } from './running-process.ts';
import { findPostmaster, type Postmaster, spawnPostmaster } from './postmaster.ts';

const POLL_MS = 10;
const RETRY_MS = 100;

export interface Start {
  readonly home: PostgresHome;
  /** The server's program. */
  readonly postgres: string;
  readonly settings: readonly string[];
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/**
 * Returns the server that runs on the data folder, or starts one. When several processes start at once, one wins and the others
 * adopt its server.
 */
export async function adoptOrStart(start: Start): Promise<{ postmaster: Postmaster; adopted: boolean }> {
  for (;;) {
    const running = await untilStays(start);
    if (running !== undefined) return { postmaster: running, adopted: true };
    const child = await spawnPostmaster(start);
    const started = await untilReady(start, child);
    if (started !== undefined)
      return { postmaster: watched(started, child, start.log), adopted: started.pid !== child.pid };
    await throwUnlessWorthARetry(start.home);
    await sleep(RETRY_MS, undefined, { signal: start.signal });
  }
}

/** The server that runs, when no owner is about to stop it. Waits while one is. Undefined when no server runs. */
async function untilStays(start: Start): Promise<Postmaster | undefined> {
  const { home, log, signal } = start;
  let isWaiting = false;
  for (;;) {
    const running = await untilReady(start, undefined);
    const leaving = await readFile(home.leaving, 'utf8').catch(() => '');
    if (running === undefined || !(await isRunning(leaving))) return running;
    if (!isWaiting)
      log.info({ server: running.pid }, 'embedded PostgreSQL belongs to a process that stops: waiting for its end');
    isWaiting = true;
    await sleep(RETRY_MS, undefined, { signal });
  }
}

/** Undefined when no server runs, or when the child has ended before it was ready. */
async function untilReady({ home, signal }: Start, child: ChildProcess | undefined): Promise<Postmaster | undefined> {
  let failure: Error | undefined;
  child?.once('error', (error) => (failure = error));
  try {
    for (;;) {
      signal.throwIfAborted();
      const postmaster = await findPostmaster(home);
      if (postmaster?.ready) return postmaster;
      if (failure !== undefined) throw failure;
      const ended =
        child === undefined ? postmaster === undefined : child.exitCode !== null || child.signalCode !== null;
      if (ended) return undefined;
      await sleep(POLL_MS, undefined, { signal });
    }
  } catch (error) {
    child?.kill('SIGINT');
    throw error;
  }
}

function watched(postmaster: Postmaster, child: ChildProcess, log: Logger): Postmaster {
  child.once('exit', (code, signal) => {
    if (code !== 0) log.error({ server: child.pid, code, signal }, 'embedded PostgreSQL ended');
  });
  return postmaster;
}

async function throwUnlessWorthARetry(home: PostgresHome): Promise<void> {
  if (await findPostmaster(home)) return;
  if (await removeDeadLock(home)) return;
  const words = await readFile(home.log, 'utf8');
  // Sessions of a server that was killed notice it within moments; until then their shared memory stops a new one.
  if (words.includes('pre-existing shared memory block')) return;
  const end = words.trim().split('\n').slice(-5).join('\n');
  throw new PostgresStartError(`PostgreSQL does not start on ${home.data}: ${end}`);
}

/**
 * PostgreSQL takes any process with the id in its lock files for a server: one that was given the id after a restart of the machine,
 * or a killed server that nobody has reaped. The caller knows that no server runs.
 */
async function removeDeadLock(home: PostgresHome): Promise<boolean> {
  const file = join(home.data, 'postmaster.pid');
  const present = await access(file).then(
    () => true,
    () => false,
  );
  await rm(file, { force: true });
  await rm(join(home.sockets, '.s.PGSQL.5432.lock'), { force: true });
  return present;
}

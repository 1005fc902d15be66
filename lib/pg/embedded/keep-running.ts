import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../telemetry/index.ts';
import { isAlive } from './running-process.ts';

const pollMs = 500;
const retryMs = 2_000;

export interface Keeping {
  /** Process id of the server that ran last. */
  readonly pid: () => number;
  /** Starts a server on the same data, at the same address, or adopts one that another process has started. */
  readonly startAgain: () => Promise<void>;
  readonly log: Logger;
  /** Ends the watch. */
  readonly signal: AbortSignal;
}

/**
 * Starts the server again when it has ended although this process still needs it: its owner has stopped with it, or it was killed.
 * Resolves when `signal` aborts. Does not keep the process alive.
 */
export async function keepRunning({ pid, startAgain, log, signal }: Keeping): Promise<void> {
  const rest = (ms: number): Promise<void> => sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
  for (await rest(pollMs); !signal.aborted; await rest(pollMs)) {
    if (await isAlive(pid())) continue;
    log.warn({ server: pid() }, 'embedded PostgreSQL has ended: it is started again');
    await startAgain().catch(async (err: unknown) => {
      if (signal.aborted) return;
      log.error({ err }, 'embedded PostgreSQL could not be started again: the next try follows');
      await rest(retryMs);
    });
  }
}

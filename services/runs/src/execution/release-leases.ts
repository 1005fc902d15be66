import type { HeldLease } from './attempt/executor.ts';
import type { Running } from './running.ts';

const timeoutMs = 1_000;

/** Ends the leases of attempts that were stopped, so that another process goes on with their runs at once; otherwise it does when they expire. */
export function createReleaseLeases({ sessions, owner, log }: Pick<Running, 'sessions' | 'owner' | 'log'>) {
  return async (leases: readonly HeldLease[]): Promise<void> => {
    if (leases.length === 0) return;
    log.info({ runs: leases.length }, 'runs are handed over to other processes');
    await sessions
      .renewLeases({ owner, leases: [...leases], release: true }, { timeoutMs })
      .catch((err: unknown) => log.warn({ err }, 'leases could not be given up; runs go on when they expire'));
  };
}

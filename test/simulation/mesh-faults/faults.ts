import { setTimeout as sleep } from 'node:timers/promises';
import type { TcpProxy } from '../../faults/tcp-proxy.ts';
import type { Sites } from './open-sites.ts';

/** Something that goes wrong for a while. */
export interface Fault {
  readonly kind: string;
  /** Does the damage, and resolves when it is mended. */
  readonly happen: () => Promise<void>;
}

export interface FaultOptions {
  readonly sites: Sites;
  /** Numbers from 0 to 1; they decide everything. */
  readonly random: () => number;
  /** Longest time in milliseconds for which anything is stopped or silent. */
  readonly longestMs: number;
  /** Whether executors are also stopped until others have taken over their runs. */
  readonly hasLongPauses: boolean;
  /** Told of the times at which PostgreSQL is away: all accounts are affected then. */
  readonly onOutage: (outage: Promise<void>) => void;
}

/** Pauses in milliseconds after which the lease of an executor (10 s) is over, so that others have gone on with its runs. */
const pastLeaseMs = { least: 12_000, more: 28_000 };

/** Faults of processes, one after the other. */
export function processFaults({ sites, random, longestMs, hasLongPauses, onOutage }: FaultOptions): () => Fault {
  const { attacked } = sites;
  const kill = async (name: string): Promise<void> => {
    await attacked.kill(name);
    await sleep(random() * 500);
    await started(sites);
  };
  const stop = async (name: string, forMs: number): Promise<void> => {
    attacked.signal(name, 'SIGSTOP');
    await sleep(forMs);
    attacked.signal(name, 'SIGCONT');
  };
  const restartPostgres = (): Promise<void> => {
    const outage = sites.restartPostgres();
    onOutage(outage);
    return outage;
  };
  const fillDisk = (): Promise<void> => {
    const outage = sites.fillDisk?.(sleep(pauseOf(random, longestMs))) ?? Promise.resolve();
    onOutage(outage);
    return outage;
  };
  const fillBlobDisk = (): Promise<void> =>
    sites.fillBlobDisk?.(sleep(pauseOf(random, longestMs))) ?? Promise.resolve();
  return () => {
    const name = pick(random, sites.processes);
    const chance = random();
    if (chance < 0.02 && sites.fillDisk !== undefined) return { kind: 'disk full', happen: fillDisk };
    if (chance < 0.05 && sites.fillBlobDisk !== undefined)
      return { kind: 'disk of the blob store full', happen: fillBlobDisk };
    if (chance < 0.08) return { kind: 'PostgreSQL killed', happen: restartPostgres };
    if (chance < 0.45) return { kind: 'process killed', happen: () => kill(name) };
    if (hasLongPauses && chance < 0.6) {
      const executor = pick(random, ['runs', 'runs-2']);
      const forMs = pastLeaseMs.least + random() * pastLeaseMs.more;
      return { kind: 'executor stopped past its lease', happen: () => stop(executor, forMs) };
    }
    return { kind: 'process stopped', happen: () => stop(name, pauseOf(random, longestMs)) };
  };
}

/** Faults of connections between processes and to PostgreSQL, one after the other. */
export function connectionFaults({ sites, random, longestMs }: FaultOptions): () => Fault {
  const { links } = sites;
  const during = async (damage: () => void, mend: () => void): Promise<void> => {
    damage();
    await sleep(pauseOf(random, longestMs));
    mend();
  };
  const kinds: readonly ((link: TcpProxy) => Fault)[] = [
    (link) => ({
      kind: 'connections frozen',
      happen: () =>
        during(
          () => link.freeze(),
          () => link.thaw(),
        ),
    }),
    (link) => ({ kind: 'connections lost without a word', happen: async () => link.blackHole() }),
    (link) => ({ kind: 'connections reset', happen: async () => link.reset() }),
    (link) => ({
      kind: 'connections slow',
      happen: () =>
        during(
          () => link.delay(5 + random() * 200),
          () => link.delay(0),
        ),
    }),
  ];
  return () => pick(random, kinds)(pick(random, links));
}

/** Starts what is missing. A start fails while the database cannot be reached; a supervisor tries again. */
async function started({ attacked }: Sites): Promise<void> {
  for (;;) {
    try {
      return await attacked.restart();
    } catch {
      await sleep(200);
    }
  }
}

function pauseOf(random: () => number, longestMs: number): number {
  return 100 + random() ** 2 * longestMs;
}

function pick<T>(random: () => number, choices: readonly T[]): T {
  return choices[Math.floor(random() * choices.length)] as T;
}

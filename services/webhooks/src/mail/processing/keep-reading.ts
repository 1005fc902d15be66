import { extendReading, type Reading } from '../../store/readings.ts';
import type { Processor } from './processor.ts';

/**
 * Life of the lease on a mailbox in milliseconds. The job queue notices the death of a process after 15 to 25 s; with the lease, another process
 * reads the mailbox seven seconds after it at the latest. A process that is only slow loses its fence and writes nothing.
 */
const leaseMs = 6_000;
const extendMs = 2_000;

/** A lease that is extended until it is disposed of. */
export interface ReadingLease extends Disposable {
  /** Ends the lease without a result, so that the job queue decides when the mailbox is read again. Never throws. */
  release(): Promise<void>;
}

/** Time at which a lease ends that begins now. */
export function leaseEnd({ clock }: Pick<Processor, 'clock'>): Date {
  return new Date(clock.now().getTime() + leaseMs);
}

/** Extends the lease of an attempt every two seconds. */
export function keepReading(processor: Pick<Processor, 'clock' | 'db' | 'log'>, reading: Reading): ReadingLease {
  const { db, log } = processor;
  const extend = async (heldUntil: Date | null): Promise<void> => {
    await extendReading(db, { ...reading, heldUntil }).catch((err: unknown) => {
      log.info({ err }, 'the lease of a mailbox cannot be written');
    });
  };
  const timer = setInterval(() => void extend(leaseEnd(processor)), extendMs).unref();
  return {
    release: () => {
      clearInterval(timer);
      return extend(null);
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

import { LRUCache } from 'lru-cache';

/** Failed sign-ins that are recorded in an hour: of one address, and of all together. */
const ofAddress = 20;
const ofAll = 2_000;
const hourMs = 3_600_000;
const rememberedAddresses = 10_000;

/**
 * Decides which failed sign-ins are recorded, so that strangers cannot make the audit grow without end. It does not know which addresses
 * have accounts, so its time tells nothing about them. Each process counts for itself.
 */
export interface FailureLimit {
  /** Number of failures with this address since the last recorded one, when this one is to be recorded; else undefined. */
  admit(address: string): number | undefined;
}

interface Failures {
  recorded: number;
  unrecorded: number;
}

export function createFailureLimit(now: () => number = () => performance.now()): FailureLimit {
  const addresses = new LRUCache<string, Failures>({ max: rememberedAddresses });
  let recorded = 0;
  let hourEnds = 0;

  /** Begins a new hour. The failures that were not recorded stay known. */
  function beginHour(): void {
    hourEnds = now() + hourMs;
    recorded = 0;
    for (const [address, failures] of addresses) {
      if (failures.unrecorded === 0) addresses.delete(address);
      else failures.recorded = 0;
    }
  }

  function failuresOf(address: string): Failures {
    const failures = addresses.get(address) ?? { recorded: 0, unrecorded: 0 };
    addresses.set(address, failures);
    return failures;
  }

  return {
    admit(address) {
      if (now() >= hourEnds) beginHour();
      const failures = failuresOf(address);
      if (recorded >= ofAll || failures.recorded >= ofAddress) {
        failures.unrecorded += 1;
        return undefined;
      }
      recorded += 1;
      failures.recorded += 1;
      const { unrecorded } = failures;
      failures.unrecorded = 0;
      return unrecorded;
    },
  };
}

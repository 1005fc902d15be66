import type { Argon2idCost } from './argon2id.ts';

/** The least that OWASP's password storage cheat sheet accepts. */
export const leastCost: Argon2idCost = { memoryKib: 19_456, passes: 2, parallelism: 1 };

export interface CalibrationOptions {
  /** How long a hash may take. */
  readonly targetMs: number;
  /** Most memory of one hash; three run at once in a process. */
  readonly maxMemoryKib: number;
  /** How long a hash of some cost takes on this machine, in milliseconds. */
  readonly measure: (cost: Argon2idCost) => Promise<number>;
}

export interface Calibration {
  readonly cost: Argon2idCost;
  readonly ms: number;
}

/**
 * The highest cost within the target, as RFC 9106 section 4 chooses it: as much memory as may be had, then as many passes as
 * there is time for. Never under `leastCost`, also where that takes longer than the target.
 */
export async function calibrate({ targetMs, maxMemoryKib, measure }: CalibrationOptions): Promise<Calibration> {
  let best = { cost: leastCost, ms: await measure(leastCost) };
  for (let memoryKib = leastCost.memoryKib; memoryKib <= maxMemoryKib; memoryKib *= 2) {
    const fitting = await mostPasses({ ...leastCost, memoryKib }, { targetMs, maxMemoryKib, measure });
    if (fitting === undefined) break;
    best = fitting;
  }
  return best;
}

/** Undefined when not even the least passes fit. */
async function mostPasses(cost: Argon2idCost, options: CalibrationOptions): Promise<Calibration | undefined> {
  const { targetMs, measure } = options;
  let fitting: Calibration | undefined;
  for (let { passes } = cost; ; passes += 1) {
    const ms = await measure({ ...cost, passes });
    if (ms > targetMs) return fitting;
    fitting = { cost: { ...cost, passes }, ms };
  }
}

import type { Argon2idCost } from './argon2id.ts';

/** The lowest cost that OWASP's password storage cheat sheet accepts. */
export const leastCost: Argon2idCost = { memoryKib: 19_456, passes: 2, parallelism: 1 };

export interface CalibrationOptions {
  /** Longest time of a hash, in milliseconds. */
  readonly targetMs: number;
  /** Most memory of one hash; three run at once in a process. */
  readonly maxMemoryKib: number;
  /** Returns the time of a hash of this cost on this machine, in milliseconds. */
  readonly measure: (cost: Argon2idCost) => Promise<number>;
}

export interface Calibration {
  readonly cost: Argon2idCost;
  readonly ms: number;
}

/**
 * The highest cost within the target, chosen like in RFC 9106 section 4: as much memory as is allowed, then as many passes as there is
 * time for. Never below `leastCost`, even if that takes longer than the target.
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

/** Undefined when even the fewest passes take too long. */
async function mostPasses(cost: Argon2idCost, options: CalibrationOptions): Promise<Calibration | undefined> {
  const { targetMs, measure } = options;
  let fitting: Calibration | undefined;
  for (let { passes } = cost; ; passes += 1) {
    const ms = await measure({ ...cost, passes });
    if (ms > targetMs) return fitting;
    fitting = { cost: { ...cost, passes }, ms };
  }
}

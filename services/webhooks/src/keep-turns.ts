import type { Logger } from '@agentmesh/lib/telemetry';
import type { Wake } from '@agentmesh/lib/wait';
import type { FairTurns } from './fair-turns.ts';

const pauseMs = 1_000;

export interface Surroundings {
  readonly wake: Wake;
  /** Whether something may be due. Not asked after a wake. */
  readonly isDue: () => Promise<boolean>;
  readonly log: Logger;
  /** Message that is logged with the error when a look fails, once until a look succeeds again. */
  readonly failure: string;
  readonly signal: AbortSignal;
}

/** Begins what is due, with a look every second and at every wake, until the signal aborts. */
export async function keepTurns(
  turns: Pick<FairTurns<never>, 'begin'>,
  { wake, isDue, log, failure, signal }: Surroundings,
): Promise<void> {
  let failing = false;
  while (!signal.aborted) {
    const isWoken = await wake.wait({ timeoutMs: pauseMs, signal });
    if (signal.aborted) return;
    try {
      if (isWoken || (await isDue())) await turns.begin();
      failing = false;
    } catch (err) {
      if (!failing) log.warn({ err }, failure);
      failing = true;
    }
  }
}

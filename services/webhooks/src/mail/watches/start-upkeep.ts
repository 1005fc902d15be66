import type { Logger } from '@agentmesh/lib/telemetry';
import type { Wake } from '@agentmesh/lib/wait';
import type { Upkeep } from './upkeep.ts';

const pauseMs = 10_000;

export interface UpkeepSurroundings {
  /** Starts a round soon. */
  readonly wake: Wake;
  readonly log: Logger;
  readonly draining: AbortSignal;
}

/** Makes a round every 10 s and after each wake, until `draining` aborts. A round that fails is logged once until one succeeds. */
export function startUpkeep(upkeep: Upkeep, { wake, log, draining }: UpkeepSurroundings): AsyncDisposable {
  const stopping = new AbortController();
  const signal = AbortSignal.any([draining, stopping.signal]);
  const running = repeat({ upkeep, wake, log, signal });
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await running;
    },
  };
}

interface Rounds {
  readonly upkeep: Upkeep;
  readonly wake: Wake;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

async function repeat({ upkeep, wake, log, signal }: Rounds): Promise<void> {
  let failing = false;
  while (!signal.aborted) {
    await wake.wait({ timeoutMs: pauseMs, signal });
    if (signal.aborted) return;
    try {
      await upkeep.round();
      failing = false;
    } catch (err) {
      if (!failing) log.warn({ err }, 'subscriptions to mailboxes cannot be looked after');
      failing = true;
    }
  }
}

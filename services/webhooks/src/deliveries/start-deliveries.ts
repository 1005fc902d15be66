import type { Wake } from '@agentmesh/lib/wait';
import type { Logger } from '@agentmesh/lib/telemetry';
import { Deliverer } from './deliverer.ts';
import type { RunWebhooks } from './run-webhooks.ts';

const pauseMs = 1_000;

interface Surroundings {
  readonly wake: Wake;
  readonly log: Logger;
  readonly draining: AbortSignal;
}

/** Delivers messages of webhooks. Disposing gives up the attempts that are under way. */
export function startDeliveries(webhooks: RunWebhooks, { wake, log, draining }: Surroundings): AsyncDisposable {
  const stopping = new AbortController();
  const deliverer = new Deliverer(webhooks, stopping.signal);
  const running = repeat(deliverer, { wake, log, draining: AbortSignal.any([draining, stopping.signal]) });
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await running;
      await deliverer.end();
    },
  };
}

async function repeat(deliverer: Deliverer, { wake, log, draining: signal }: Surroundings): Promise<void> {
  let failing = false;
  while (!signal.aborted) {
    await wake.wait({ timeoutMs: pauseMs, signal });
    if (signal.aborted) return;
    try {
      await deliverer.begin();
      failing = false;
    } catch (err) {
      if (!failing) log.warn({ err }, 'deliveries of webhooks cannot be read');
      failing = true;
    }
  }
}

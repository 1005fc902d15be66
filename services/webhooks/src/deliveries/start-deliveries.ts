import type { Wake } from '@agentmesh/lib/wait';
import type { Logger } from '@agentmesh/lib/telemetry';
import { keepTurns } from '../keep-turns.ts';
import { createDeliverer } from './deliverer.ts';
import type { RunWebhooks } from './run-webhooks.ts';

interface Surroundings {
  readonly wake: Wake;
  readonly isDue: () => Promise<boolean>;
  readonly log: Logger;
  readonly draining: AbortSignal;
}

/** Delivers messages of webhooks. Disposing gives up the attempts that are under way. */
export function startDeliveries(webhooks: RunWebhooks, { wake, isDue, log, draining }: Surroundings): AsyncDisposable {
  const stopping = new AbortController();
  const deliverer = createDeliverer(webhooks, stopping.signal);
  const failure = 'deliveries of webhooks cannot be read';
  const signal = AbortSignal.any([draining, stopping.signal]);
  const running = keepTurns(deliverer, { wake, isDue, log, failure, signal });
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await running;
      await deliverer.end();
    },
  };
}

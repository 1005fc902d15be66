import type { Job } from '@agentmesh/lib/service';
import { settleRunWebhook } from '../deliveries/settle-run-webhook.ts';
import type { RunWebhooks } from '../deliveries/run-webhooks.ts';
import { takeRunWebhooksToCheck } from '../store/run-webhooks.ts';

const pauseMs = 5_000;
const limit = 100;

/** Looks at the runs of webhooks whose end was not announced. */
export async function checkRunWebhooks(webhooks: RunWebhooks): Promise<void> {
  const { db, clock, log } = webhooks;
  for (const row of await takeRunWebhooksToCheck(db, { now: clock.now(), limit })) {
    // One run that cannot be read does not hold up the others.
    await settleRunWebhook(webhooks, row).catch((err: unknown) =>
      log.info({ err, invocationId: row.invocation_id }, 'a run cannot be read'),
    );
  }
}

/** The job that runs `checkRunWebhooks` every 5 s. */
export function createCheckRunWebhooks(webhooks: RunWebhooks): Job {
  return { pauseMs, failure: 'the webhooks of runs cannot be read', run: () => checkRunWebhooks(webhooks) };
}

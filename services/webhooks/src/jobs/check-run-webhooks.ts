import type { Job } from '@agentmesh/lib/service';
import type { DueWork } from '../due-work.ts';
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

/** The job that runs `checkRunWebhooks` every 5 s while something is due. */
export function createCheckRunWebhooks(webhooks: RunWebhooks, due: DueWork): Job {
  const failure = 'the webhooks of runs cannot be read';
  return { pauseMs, failure, run: async () => (await due.has('runWebhooks')) && checkRunWebhooks(webhooks) };
}

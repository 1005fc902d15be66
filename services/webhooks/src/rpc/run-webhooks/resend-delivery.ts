import { deliveryNotFound } from '../../errors.ts';
import { giveUpTime } from '../../deliveries/retry-pause.ts';
import type { RunWebhooks } from '../../deliveries/run-webhooks.ts';
import { updateDeliveryResent } from '../../store/deliveries.ts';
import { deliveryRecord } from './delivery-record.ts';
import { findRunWebhook } from './find-run-webhook.ts';
import type { RunWebhookHandlers } from './handlers.ts';

/** Sends a delivery again. */
export function resendDelivery({ db, clock, wakeDeliveries }: RunWebhooks): RunWebhookHandlers['resendDelivery'] {
  return async (request) => {
    const { accountId, deliveryId: id } = request;
    const { run_sha256: runSha256 } = await findRunWebhook(db, request);
    if (id.includes('\0')) throw deliveryNotFound();
    const now = clock.now();
    const [row] = await updateDeliveryResent(db, { accountId, runSha256, id, now, giveUpAt: giveUpTime(now) });
    if (row === undefined) throw deliveryNotFound();
    wakeDeliveries();
    return { delivery: deliveryRecord(row) };
  };
}

import type { RunWebhooks } from '../../deliveries/run-webhooks.ts';
import { selectDeliveries } from '../../store/deliveries.ts';
import { deliveryRecord } from './delivery-record.ts';
import { findRunWebhook } from './find-run-webhook.ts';
import type { RunWebhookHandlers } from './handlers.ts';

const limit = 100;

/** Returns the newest deliveries of a run's webhook. */
export function listDeliveries({ db }: RunWebhooks): RunWebhookHandlers['listDeliveries'] {
  return async (request) => {
    const { run_sha256: runSha256 } = await findRunWebhook(db, request);
    const rows = await selectDeliveries(db, { accountId: request.accountId, runSha256, limit });
    return { deliveries: rows.map(deliveryRecord) };
  };
}

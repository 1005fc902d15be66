import type { DeliverySchema } from '@agentmesh/proto/webhooks/v1/run_webhooks';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { DeliveryRow } from '../../store/deliveries.ts';

/** Converts a row of `deliveries` to the message that RPCs return. */
export function deliveryRecord(row: DeliveryRow): MessageInitShape<typeof DeliverySchema> {
  return {
    id: row.id,
    type: row.type,
    status: row.status,
    attempts: row.attempts,
    createTime: secondsOf(row.created_at),
    lastAttemptTime: secondsOf(row.last_attempt_at),
    nextAttemptTime: row.status === 'pending' ? secondsOf(row.next_attempt_at) : 0,
    responseStatus: row.response_status ?? 0,
    error: row.error ?? '',
  };
}

function secondsOf(time: Date | null): number {
  return time === null ? 0 : time.getTime() / 1000;
}

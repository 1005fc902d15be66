import type { ConsumerCalls } from '@agentmesh/lib/rpc';
import type { Queryable } from '@agentmesh/lib/pg';
import { recordActions } from '../store/audit.ts';

/** Records calls of consumers in the audit, each entry with the number of its calls. */
export async function recordConsumerCalls(
  db: Queryable,
  service: string,
  calls: readonly Omit<ConsumerCalls, 'service'>[],
): Promise<void> {
  const records = calls.map(({ consumer, method, accountId, isRefused, number }) => ({
    action: isRefused ? ('consumer_refused' as const) : ('consumer_called' as const),
    accountId: accountId === '' ? undefined : accountId,
    detail: { consumer, rpc: `${service}.${method}`, calls: number },
  }));
  await recordActions(db, records);
}

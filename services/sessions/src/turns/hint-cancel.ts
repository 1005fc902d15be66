import { type Lease, RunCancelRequestedSchema } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../context.ts';

/** Tells the executor of an attempt to stop. If the hint is lost, it learns it at its next append or when it renews its leases. */
export function hintCancel(
  { bus, log }: Pick<Context, 'bus' | 'log'>,
  lease: Pick<Lease, 'accountId' | 'sessionPk' | 'invocationId' | 'fence'>,
): true {
  bus
    .publish(RunCancelRequestedSchema, { lease })
    .catch((error: unknown) =>
      log.warn({ err: error }, 'RunCancelRequested could not be published; the executor learns it when it renews'),
    );
  return true;
}

import type { HintHandler } from '@agentmesh/lib/bus';
import type { RunCancelRequestedSchema } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../context.ts';
import { checkLeases } from '../execution/check-leases.ts';

/** Stops the attempt if it runs here and its run is being cancelled. If the hint is lost, the next renewal of leases does it. */
export function onRunCancelRequested(context: Context): HintHandler<typeof RunCancelRequestedSchema> {
  return async ({ lease }) => {
    if (lease === undefined) return;
    const { accountId, sessionPk, fence } = lease;
    await checkLeases(
      context,
      (held) => held.accountId === accountId && held.sessionPk === sessionPk && held.fence === fence,
    );
  };
}

import type { HintHandler } from '@agentmesh/lib/bus';
import type { IntegrationDisconnectedSchema } from '@agentmesh/proto/keys/v1/integrations';
import type { Context } from '../mail/context.ts';
import { endDisconnected } from '../mail/watches/end-disconnected.ts';

/** Looks for disconnected mail accounts, and ends what is registered with them. Upkeep looks for them too. */
export function onIntegrationDisconnected(context: Context): HintHandler<typeof IntegrationDisconnectedSchema> {
  return async () => {
    await endDisconnected(context);
    context.wakeUpkeep();
  };
}

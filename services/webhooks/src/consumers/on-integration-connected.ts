import type { HintHandler } from '@agentmesh/lib/bus';
import { checkAccountId } from '@agentmesh/lib/rpc';
import type { IntegrationConnectedSchema } from '@agentmesh/proto/keys/v1/integrations';
import type { Context } from '../mail/context.ts';
import { providerOf } from '../mail/provider/create-mail-accounts.ts';
import { planRearming } from '../store/watches/watch-plans.ts';

/** Registers the failed subscriptions of a mail account again at once. A lost hint delays that for an hour at most. */
export function onIntegrationConnected({
  db,
  clock,
  wakeUpkeep,
}: Context): HintHandler<typeof IntegrationConnectedSchema> {
  return async ({ accountId, provider }) => {
    const values = { accountId: checkAccountId(accountId), provider: providerOf(provider), now: clock.now() };
    const planned = await planRearming(db, values);
    if (planned.length > 0) wakeUpkeep();
  };
}

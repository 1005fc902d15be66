import type { HintHandler } from '@agentmesh/lib/bus';
import { checkAccountId } from '@agentmesh/lib/rpc';
import type { IntegrationConnectedSchema } from '@agentmesh/proto/keys/v1/integrations';
import type { Context } from '../mail/context.ts';
import { planRearming } from '../store/watches/watch-plans.ts';

/** Registers the failed subscriptions of a mail account again at once. A lost hint delays that for an hour at most. */
export function onIntegrationConnected({
  db,
  clock,
  providers,
  wakeUpkeep,
}: Context): HintHandler<typeof IntegrationConnectedSchema> {
  return async ({ accountId, provider: number }) => {
    const provider = providers.find(({ integration }) => integration === number);
    if (provider === undefined) return;
    const values = { accountId: checkAccountId(accountId), provider: provider.word, now: clock.now() };
    const planned = await planRearming(db, values);
    if (planned.length > 0) wakeUpkeep();
  };
}

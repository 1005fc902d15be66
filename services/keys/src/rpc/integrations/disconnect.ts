import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../context.ts';
import { announceDisconnected } from '../../integrations/announce.ts';
import { integrationMissing } from '../../integrations/errors.ts';
import { providerWord } from '../../integrations/providers/index.ts';
import { endIntegration } from '../../store/integrations.ts';
import type { Handlers } from './handlers.ts';

/** Disconnects a mail account. */
export function disconnect(context: Context): Handlers['disconnect'] {
  return async (request) => {
    const accountId = checkAccountId(request.accountId);
    const provider = providerWord(request.provider);
    const [ended] = await endIntegration(context.db, { accountId, provider });
    if (ended === undefined) throw integrationMissing();
    await announceDisconnected(context, { accountId, provider, integrationId: ended.id });
    return { integrationId: ended.id };
  };
}

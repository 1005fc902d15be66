import type { Context } from '../../context.ts';
import { providerEnum } from '../../integrations/providers/index.ts';
import { selectEnding } from '../../store/integrations.ts';
import type { Handlers } from './handlers.ts';

const limit = 500;

/** Returns disconnected integrations whose tokens are still kept. */
export function listEndingIntegrations({ db }: Context): Handlers['listEndingIntegrations'] {
  return async () => {
    const rows = await selectEnding(db, { limit });
    return {
      integrations: rows.map(({ account_id: accountId, id: integrationId, provider }) => {
        return { accountId, integrationId, provider: providerEnum(provider) };
      }),
    };
  };
}

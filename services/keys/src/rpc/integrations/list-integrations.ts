import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../context.ts';
import { integrationRecord } from '../../integrations/integration-record.ts';
import { selectIntegrations } from '../../store/integrations.ts';
import type { Handlers } from './handlers.ts';

/** Returns the integrations of an account. */
export function listIntegrations({ db, tokenVault }: Context): Handlers['listIntegrations'] {
  return async (request) => {
    const rows = await selectIntegrations(db, { accountId: checkAccountId(request.accountId) });
    return { integrations: await Promise.all(rows.map((row) => integrationRecord(tokenVault, row))) };
  };
}

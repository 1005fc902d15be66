import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../context.ts';
import { accessTokenOf } from '../../integrations/access-token.ts';
import { providerEnum, providerWord } from '../../integrations/providers/index.ts';
import type { Handlers } from './handlers.ts';

/** Returns an access token for a mail account. */
export function getAccessToken(context: Context): Handlers['getAccessToken'] {
  return async ({ accountId, provider, integrationId, fresh }, { signal }) => {
    checkAccountId(accountId);
    const which = integrationId > 0n ? { integrationId } : { provider: providerWord(provider) };
    const { accessToken, expiresAt, row } = await accessTokenOf(context, { accountId, which, fresh }, signal);
    return {
      accessToken,
      expireTime: expiresAt.getTime() / 1_000,
      integrationId: row.id,
      provider: providerEnum(row.provider),
      username: row.username,
      providerUserId: row.provider_user_id,
    };
  };
}

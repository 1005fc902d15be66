import type { IntegrationSchema } from '@agentmesh/proto/keys/v1/integrations';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { IntegrationRow } from '../store/integrations.ts';
import { providerEnum } from './providers/index.ts';
import type { TokenVault } from './token-vault.ts';

/** The record that RPCs return. It opens the refresh token to see whether it can be decrypted. */
export async function integrationRecord(
  vault: TokenVault,
  row: IntegrationRow,
): Promise<MessageInitShape<typeof IntegrationSchema>> {
  const place = { accountId: row.account_id, integrationId: row.id, column: 'refresh_token' } as const;
  const isReadable = (await vault.open(row.refresh_token, place)) !== undefined;
  return {
    id: row.id,
    provider: providerEnum(row.provider),
    providerName: row.provider_name,
    username: row.username,
    providerUserId: row.provider_user_id,
    scopes: row.scopes,
    displayName: row.display_name,
    connectTime: row.connected_at.getTime() / 1_000,
    needsReconnect: row.needs_reconnect || !isReadable,
  };
}

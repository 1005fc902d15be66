import { MeshError } from '@agentmesh/lib/rpc';
import type { Integration } from '@agentmesh/proto/keys/v1/integrations';

/** The answer to a successful connection. */
export function connectedJson(integration: Integration | undefined, service: string) {
  const { provider, username, scopes, meta } = shownOf(integration);
  return { success: true, provider, service, email: username, username, scopes, meta };
}

/** An integration as it is listed. */
export function integrationJson(integration: Integration) {
  return {
    id: Number(integration.id),
    ...shownOf(integration),
    connected_at: new Date(integration.connectTime * 1_000).toISOString(),
    token_status: integration.needsReconnect ? 'revoked' : 'active',
  };
}

function shownOf(integration: Integration | undefined) {
  if (integration === undefined)
    throw new MeshError('internal', 'integration_unreadable', 'The integration could not be read.');
  const { providerName, username, scopes, displayName, providerUserId } = integration;
  const meta = { display_name: displayName, provider_user_id: providerUserId };
  return { provider: providerName, username, scopes, meta };
}

import type { Bus } from '@agentmesh/lib/bus';
import type { Logger } from '@agentmesh/lib/telemetry';
import { IntegrationConnectedSchema, IntegrationDisconnectedSchema } from '@agentmesh/proto/keys/v1/integrations';
import type { ProviderWord } from '../store/integrations.ts';
import { providerEnum } from './providers/index.ts';

interface Announcing {
  readonly bus: Bus;
  readonly log: Logger;
}

interface Announced {
  readonly accountId: string;
  readonly provider: ProviderWord;
  readonly integrationId: bigint;
}

/** Hints that a mail account is connected. A hint that cannot be sent is logged: those who need the fact also look for it. */
export async function announceConnected({ bus, log }: Announcing, { accountId, provider, integrationId }: Announced) {
  const hint = { accountId, provider: providerEnum(provider), integrationId };
  await bus
    .publish(IntegrationConnectedSchema, hint)
    .catch((err: unknown) => log.warn({ err }, 'a connected mail account could not be announced'));
}

/** Hints that an integration has ended. */
export async function announceDisconnected(
  { bus, log }: Announcing,
  { accountId, provider, integrationId }: Announced,
) {
  const hint = { accountId, provider: providerEnum(provider), integrationId };
  await bus
    .publish(IntegrationDisconnectedSchema, hint)
    .catch((err: unknown) => log.warn({ err }, 'a disconnected mail account could not be announced'));
}

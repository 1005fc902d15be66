import { IntegrationConnectedSchema, IntegrationDisconnectedSchema } from '@agentmesh/proto/keys/v1/integrations';
import type { Context } from '../context.ts';
import { providerEnum, type ProviderWord } from './providers/index.ts';

interface Announced {
  readonly accountId: string;
  readonly provider: ProviderWord;
  readonly integrationId: bigint;
}

/** Hints that a mail account is connected. A hint that cannot be sent is logged: those who need the fact also look for it. */
export async function announceConnected({ bus, log }: Context, { accountId, provider, integrationId }: Announced) {
  const hint = { accountId, provider: providerEnum(provider), integrationId };
  await bus
    .publish(IntegrationConnectedSchema, hint)
    .catch((err: unknown) => log.warn({ err }, 'a connected mail account could not be announced'));
}

/** Hints that an integration has ended. */
export async function announceDisconnected({ bus, log }: Context, { accountId, provider, integrationId }: Announced) {
  const hint = { accountId, provider: providerEnum(provider), integrationId };
  await bus
    .publish(IntegrationDisconnectedSchema, hint)
    .catch((err: unknown) => log.warn({ err }, 'a disconnected mail account could not be announced'));
}

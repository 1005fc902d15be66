import type { Host } from '@agentmesh/lib/service';
import { ArtifactsService } from '@agentmesh/proto/artifacts/v1';
import { AuthService } from '@agentmesh/proto/auth/v1';
import { IntegrationsService } from '@agentmesh/proto/keys/v1/integrations';
import { AgentsService } from '@agentmesh/proto/runs/v1/agents';
import { NoticesService } from '@agentmesh/proto/runs/v1/notices';
import type { settings } from './config.ts';
import type { Context } from './mail/context.ts';
import { createPushTokenReader } from './mail/google/push-token.ts';
import { createNotificationCount } from './mail/notification-count.ts';
import { createMailAccounts } from './mail/provider/create-mail-accounts.ts';
import { mailProviders } from './mail/mail-providers.ts';
import { openProviders } from './mail/provider/providers.ts';
import { createAgentCheck } from './mail/subscriptions/agent-check.ts';
import { createFailureCount } from './mail/watches/failure-count.ts';

/** Makes the surroundings of RPCs, consumers and jobs of mail. */
export function createMailContext(
  { config, log, mesh, metrics, resources }: Host<typeof settings>,
  { clock, ...parts }: Pick<Context, 'db' | 'clock' | 'jobs' | 'wakeUpkeep'>,
): Context {
  const mailAccounts = createMailAccounts(mesh.client(IntegrationsService), mailProviders);
  return {
    ...parts,
    config,
    log,
    clock,
    artifacts: mesh.client(ArtifactsService),
    auth: mesh.client(AuthService),
    notices: mesh.client(NoticesService),
    readPushToken: createPushTokenReader(config.GOOGLE_JWKS_URL),
    mailAccounts,
    providers: openProviders(mailProviders, { config, db: parts.db, clock, mailAccounts, resources }),
    checkAgent: createAgentCheck(mesh.client(AgentsService)),
    countFailure: createFailureCount(metrics),
    countNotifications: createNotificationCount(metrics),
  };
}

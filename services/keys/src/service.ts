import { createForgetKeys } from '@agentmesh/lib/idempotency';
import { createAddressPolicy, createGuardedApiFetch } from '@agentmesh/lib/outbound';
import { defineService, isShortKey, startJob } from '@agentmesh/lib/service';
import { AccountDeletedSchema, AuthService } from '@agentmesh/proto/auth/v1';
import { SessionsService } from '@agentmesh/proto/sessions/v1';
import { createCredentialService } from './agent-identity/credential-service.ts';
import { type Config, rootsOf, settings } from './config.ts';
import { onAccountDeleted } from './consumers/on-account-deleted.ts';
import type { Context } from './context.ts';
import { createGoogleTokens } from './google/google-tokens.ts';
import { createHeaderVault } from './header-vault.ts';
import { createMailProviders } from './integrations/providers/index.ts';
import { createTokenVault } from './integrations/token-vault.ts';
import { createEraseEnded, eraseEnded } from './jobs/erase-ended.ts';
import { createForgetCalls, forgetCalls } from './jobs/forget-calls.ts';
import { createForgetUsage, forgetUsage } from './jobs/forget-usage.ts';
import { reencrypt } from './reencrypt.ts';
import { serveContracts } from './rpc/index.ts';
import { createVault } from './saved-keys/vault.ts';
import { createSigningVault } from './signing-vault.ts';

/** Credentials that the mesh holds or obtains for accounts. */
export const keys = defineService({
  name: 'keys',
  calls: ['auth', 'sessions'],
  settings,
  database: { migrations: new URL('../migrations/', import.meta.url) },
  weaknesses: weaknessesOf,
  commands: ['reencrypt'],
  async command(_, { config, openDatabase, print }) {
    await reencrypt({ db: await openDatabase(), roots: rootsOf(config), print });
  },
  async start(host) {
    const { config, log, mesh, bus, resources } = host;
    for (const weakness of weaknessesOf(config)) log.warn(weakness);
    const db = await host.openDatabase();
    const policy = createAddressPolicy(config.MODEL_API_BASE_ALLOW);
    const guarded = resources.use(createGuardedApiFetch({ policy }));
    const roots = rootsOf(config);
    const context: Context = {
      config,
      db,
      bus,
      auth: mesh.client(AuthService),
      log,
      metrics: host.metrics,
      sessions: mesh.client(SessionsService),
      credentials: createCredentialService({ config, tokens: createGoogleTokens(log), log }),
      policy,
      guardedFetch: guarded.fetch,
      vault: createVault(roots),
      mailProviders: createMailProviders(config),
      tokenVault: createTokenVault(roots),
      signingVault: createSigningVault(roots),
      headerVault: createHeaderVault(roots),
    };
    serveContracts(mesh, context);
    resources.defer(await bus.consume(AccountDeletedSchema, 'keys', onAccountDeleted(context)));
    resources.use(startJob(createForgetCalls(context), host));
    resources.use(startJob(createForgetUsage(context), host));
    resources.use(startJob(createForgetKeys(db), host));
    resources.use(startJob(createEraseEnded(context), host));
    const settle = async (): Promise<void> => {
      await forgetCalls(context);
      await eraseEnded(context);
      await forgetUsage(context);
    };
    return { ready: { database: () => db.ping() }, settle };
  },
});

function weaknessesOf({ ENCRYPT_KEY }: Config): string[] {
  if (!isShortKey(ENCRYPT_KEY)) return [];
  return ['ENCRYPT_KEY has under 32 bytes: whoever guesses it can decrypt the stored keys'];
}

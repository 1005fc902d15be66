import { defineService } from '@agentmesh/lib/service';
import { KeysService } from '@agentmesh/proto/keys/v1';
import { SessionsService } from '@agentmesh/proto/sessions/v1';
import { createCredentialService } from './agent-identity/credential-service.ts';
import { settings } from './config.ts';
import type { Context } from './context.ts';
import { createGoogleTokens } from './google/google-tokens.ts';
import { createHandlers } from './rpc/index.ts';

/** Credentials that the mesh holds or obtains for accounts. */
export const keys = defineService({
  name: 'keys',
  settings,
  async start({ config, log, mesh }) {
    const context: Context = {
      requireNonce: config.AGENT_IDENTITY_REQUIRE_NONCE,
      sessions: mesh.client(SessionsService),
      credentials: createCredentialService({ config, tokens: createGoogleTokens(log), log }),
    };
    mesh.serve(KeysService, createHandlers(context));
    return {};
  },
});

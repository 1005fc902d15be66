import type { SessionsService } from '@agentmesh/proto/sessions/v1';
import type { Client } from '@connectrpc/connect';
import type { CredentialService } from './agent-identity/credential-service.ts';

/** Dependencies of every RPC of this service. */
export interface Context {
  /** Whether a consent flow is finalized only for a credential request that is stored in a session. */
  readonly requireNonce: boolean;
  readonly sessions: Client<typeof SessionsService>;
  readonly credentials: CredentialService;
}

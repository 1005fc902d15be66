import type { AddressPolicy } from '@agentmesh/lib/outbound';
import type { Bus } from '@agentmesh/lib/bus';
import type { Database } from '@agentmesh/lib/pg';
import type { Logger, Metrics } from '@agentmesh/lib/telemetry';
import type { AuthService } from '@agentmesh/proto/auth/v1';
import type { SessionsService } from '@agentmesh/proto/sessions/v1';
import type { Client } from '@connectrpc/connect';
import type { HeaderVault } from './header-vault.ts';
import type { CredentialService } from './agent-identity/credential-service.ts';
import type { Config } from './config.ts';
import type { MailProviders } from './integrations/providers/index.ts';
import type { TokenVault } from './integrations/token-vault.ts';
import type { Vault } from './saved-keys/vault.ts';
import type { SigningVault } from './signing-vault.ts';

/** Dependencies of every RPC, consumer and job of this service. */
export interface Context {
  readonly config: Config;
  readonly db: Database;
  readonly bus: Bus;
  readonly auth: Client<typeof AuthService>;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly sessions: Client<typeof SessionsService>;
  readonly credentials: CredentialService;
  /** Encrypts the secrets of saved keys. */
  readonly vault: Vault;
  /** Decides which base addresses a key may have. */
  readonly policy: AddressPolicy;
  /** Calls the base addresses of keys. */
  readonly guardedFetch: typeof globalThis.fetch;
  readonly mailProviders: MailProviders;
  /** Encrypts the tokens of mail accounts. */
  readonly tokenVault: TokenVault;
  /** Encrypts secrets that sign messages. */
  readonly signingVault: SigningVault;
  /** Encrypts values of headers of agents. */
  readonly headerVault: HeaderVault;
}

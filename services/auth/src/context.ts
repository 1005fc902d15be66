import type { Database } from '@agentmesh/lib/pg';
import type { Logger } from '@agentmesh/lib/telemetry';
import type { Config } from './config.ts';
import type { Mail } from './mail/open-mail.ts';
import type { Passwords } from './passwords/password.ts';
import type { AccessTokens } from './tokens/access-token.ts';

/** What every RPC closes over. */
export interface Context {
  readonly config: Config;
  readonly db: Database;
  readonly log: Logger;
  readonly passwords: Passwords;
  readonly accessTokens: AccessTokens;
  /** Tells the bus that an account's standing has changed, after the commit. A hint: who misses it reads the change soon after. */
  readonly accountChanged: (accountId: string) => void;
  readonly mail: Mail;
  /** Called after a fact in the outbox has been committed. */
  readonly wakeOutbox: () => void;
}

import type { Config } from './config.ts';
import type { Mailing } from './mail/send-with-token.ts';
import type { Passwords } from './passwords/password.ts';
import type { FailureLimit } from './sign-ins/failure-limit.ts';
import type { AccessTokens } from './tokens/access-token.ts';

/** Everything that RPC handlers, jobs and consumers of this service use. */
export interface Context extends Mailing {
  readonly config: Config;
  readonly passwords: Passwords;
  readonly accessTokens: AccessTokens;
  /** Bounds the records of failed sign-ins. */
  readonly failures: FailureLimit;
  /** Publishes AccountChanged; called after the commit. It is a hint: a gateway that misses it reads the change within 400 ms. */
  readonly accountChanged: (accountId: string) => void;
  /** Call it after a commit that wrote to the outbox: the relay then publishes at once. */
  readonly wakeOutbox: () => void;
}

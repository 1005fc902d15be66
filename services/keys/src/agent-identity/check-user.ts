import type { FinalizeCredentialRequest } from '@agentmesh/proto/keys/v1';
import type { SessionsService } from '@agentmesh/proto/sessions/v1';
import type { Client } from '@connectrpc/connect';
import type { Config } from '../config.ts';
import { credentialUserForeign } from '../errors.ts';

const lookUpTimeoutMs = 5_000;

interface Context {
  readonly config: Pick<Config, 'AGENT_IDENTITY_REQUIRE_NONCE'>;
  readonly sessions: Client<typeof SessionsService>;
}

type Caller = Pick<FinalizeCredentialRequest, 'accountId' | 'email' | 'userId' | 'consentNonce'>;

/**
 * Returns the user id to finalize for. Throws `credential_user_foreign` unless the caller may finalize for this user id: it is the
 * caller's own, or an agent asked for the credential in a session of this user in the caller's account. Else an account could bind its
 * consent to another's user. An e-mail address in other letter case is the caller's own too, and is returned as the account has it.
 */
export async function checkUser({ config, sessions }: Context, caller: Caller): Promise<string> {
  const { accountId, userId, consentNonce: nonce } = caller;
  const requireNonce = config.AGENT_IDENTITY_REQUIRE_NONCE;
  if (!requireNonce && userId === accountId) return userId;
  if (!requireNonce && isOwnEmail(caller)) return caller.email;
  const { found } = await sessions.findCredentialRequest({ accountId, userId, nonce }, { timeoutMs: lookUpTimeoutMs });
  if (!found) throw credentialUserForeign();
  return userId;
}

/** The anonymous account has no e-mail address. */
function isOwnEmail({ email, userId }: Caller): boolean {
  return email !== '' && userId.toLowerCase() === email;
}

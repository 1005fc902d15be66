import type { FinalizeCredentialRequest } from '@agentmesh/proto/keys/v1';
import type { Context } from '../context.ts';
import { credentialUserForeign } from '../errors.ts';

const lookUpTimeoutMs = 5_000;

type Caller = Pick<FinalizeCredentialRequest, 'accountId' | 'email' | 'userId' | 'consentNonce'>;

/**
 * Throws `credential_user_foreign` unless the caller may finalize for this user id: it is the caller's own, or an agent asked for
 * the credential in a session of this user in the caller's account. Else an account could bind its consent to another's user.
 */
export async function checkUser({ requireNonce, sessions }: Context, caller: Caller): Promise<void> {
  if (isOwn(caller) && !requireNonce) return;
  const { accountId, userId, consentNonce: nonce } = caller;
  const { found } = await sessions.findCredentialRequest({ accountId, userId, nonce }, { timeoutMs: lookUpTimeoutMs });
  if (!found) throw credentialUserForeign();
}

/** The anonymous account has no e-mail address. */
function isOwn({ accountId, email, userId }: Caller): boolean {
  return userId === accountId || (email !== '' && userId.toLowerCase() === email);
}

import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../context.ts';
import { hashNonce } from '../events/credential-nonces.ts';
import { isId } from '../session-key.ts';
import { hasCredentialRequest } from '../store/credential-requests.ts';
import type { Handlers } from './handlers.ts';

/** Returns whether a stored event asks for a credential with this nonce. */
export function findCredentialRequest({ db }: Context): Handlers['findCredentialRequest'] {
  return async ({ accountId, userId, nonce }) => {
    checkAccountId(accountId);
    if (!isId(userId) || nonce === '') return { found: false };
    return { found: await hasCredentialRequest(db, { accountId, userId, nonceHash: hashNonce(nonce) }) };
  };
}

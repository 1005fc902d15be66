import { checkAccountId } from '@agentmesh/lib/rpc';
import type { SessionsService } from '@agentmesh/proto/sessions/v1';
import type { ServiceImpl } from '@connectrpc/connect';
import type { Context } from '../context.ts';
import { hashNonce } from '../credential-nonces.ts';
import { isId } from '../session-key.ts';
import { hasCredentialRequest } from '../store/credential-requests.ts';

/** Answers whether a stored event asks for a credential with this nonce. */
export function findCredentialRequest({ db }: Context): ServiceImpl<typeof SessionsService>['findCredentialRequest'] {
  return async ({ accountId, userId, nonce }) => {
    checkAccountId(accountId);
    if (!isId(userId) || nonce === '') return { found: false };
    return { found: await hasCredentialRequest(db, { accountId, userId, nonceHash: hashNonce(nonce) }) };
  };
}

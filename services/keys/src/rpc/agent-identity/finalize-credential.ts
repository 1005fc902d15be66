import { checkAccountId } from '@agentmesh/lib/rpc';
import { checkUser } from '../../agent-identity/check-user.ts';
import { parseConnector } from '../../agent-identity/connector.ts';
import { decodeState } from '../../agent-identity/decode-state.ts';
import type { Context } from '../../context.ts';
import type { Handlers } from './handlers.ts';

/** Completes a consent flow at the credential service that the connector belongs to. */
export function finalizeCredential(context: Context): Handlers['finalizeCredential'] {
  return async (request, { signal }) => {
    const { accountId, consentNonce } = request;
    checkAccountId(accountId);
    const connector = parseConnector(request.connectorName);
    const validationState = decodeState(request.userIdValidationState);
    const userId = await checkUser(context, request);
    const refusal = await context.credentials.finalize({ connector, userId, validationState, consentNonce }, signal);
    return refusal === undefined ? {} : { refusal };
  };
}

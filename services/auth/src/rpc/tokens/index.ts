import { once } from '@agentmesh/lib/idempotency';
import { AuthService } from '@agentmesh/proto/auth/v1';
import type { Context } from '../../context.ts';
import type { Handlers } from '../handlers.ts';
import { createPersonalToken } from './create-personal-token.ts';
import { findPersonalToken } from './find-personal-token.ts';
import { getStanding } from './get-standing.ts';
import { listChangedAccounts } from './list-changed-accounts.ts';
import { listPersonalTokens } from './list-personal-tokens.ts';
import { revokePersonalToken } from './revoke-personal-token.ts';
import { revokePersonalTokens } from './revoke-personal-tokens.ts';

/** Personal tokens, and what the gateway asks about accounts with tokens. */
export function tokenHandlers(
  context: Context,
): Pick<
  Handlers,
  | 'createPersonalToken'
  | 'listPersonalTokens'
  | 'revokePersonalToken'
  | 'revokePersonalTokens'
  | 'findPersonalToken'
  | 'getStanding'
  | 'listChangedAccounts'
> {
  return {
    createPersonalToken: once(context, AuthService.method.createPersonalToken, createPersonalToken),
    listPersonalTokens: listPersonalTokens(context),
    revokePersonalToken: revokePersonalToken(context),
    revokePersonalTokens: revokePersonalTokens(context),
    findPersonalToken: findPersonalToken(context),
    getStanding: getStanding(context),
    listChangedAccounts: listChangedAccounts(context),
  };
}

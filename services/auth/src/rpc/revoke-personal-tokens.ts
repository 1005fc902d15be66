import { parseAccountId } from '../account-id.ts';
import type { Context } from '../context.ts';
import { deletePersonalTokens } from '../store/personal-tokens.ts';
import type { AuthRpc } from './index.ts';

export function revokePersonalTokens({ db, accountChanged }: Context): AuthRpc['revokePersonalTokens'] {
  return async ({ accountId: id, userId }) => {
    const accountId = parseAccountId(id);
    const revoked = accountId === undefined ? 0 : await deletePersonalTokens(db, { accountId, userId });
    if (accountId !== undefined && revoked > 0) accountChanged(accountId);
    return { revoked: BigInt(revoked) };
  };
}

import { parseId } from '../../accounts/parse-id.ts';
import type { Context } from '../../context.ts';
import { revokeTokens } from '../../tokens/revoke-tokens.ts';
import type { Handlers } from '../handlers.ts';

export function revokePersonalTokens({ db, accountChanged }: Context): Handlers['revokePersonalTokens'] {
  return async ({ accountId: id, userId }) => {
    const accountId = parseId(id);
    if (accountId === undefined) return {};
    const revoked = await db.transaction((tx) => revokeTokens(tx, { accountId, userId }));
    if (revoked > 0) accountChanged(accountId);
    return { revoked: BigInt(revoked) };
  };
}

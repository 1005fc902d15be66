import { parseId } from '../../accounts/parse-id.ts';
import type { Context } from '../../context.ts';
import { recordAction } from '../../store/audit.ts';
import { deletePersonalTokens } from '../../store/personal-tokens.ts';
import type { Handlers } from '../handlers.ts';

export function revokePersonalTokens({ db, accountChanged }: Context): Handlers['revokePersonalTokens'] {
  return async ({ accountId: id, userId }) => {
    const accountId = parseId(id);
    if (accountId === undefined) return {};
    const revoked = await db.transaction(async (tx) => {
      const count = await deletePersonalTokens(tx, { accountId, userId });
      if (count > 0)
        await recordAction(tx, { action: 'token_revoked', accountId, actorId: accountId, detail: { count } });
      return count;
    });
    if (revoked > 0) accountChanged(accountId);
    return { revoked: BigInt(revoked) };
  };
}

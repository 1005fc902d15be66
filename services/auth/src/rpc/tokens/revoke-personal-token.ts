import { parseId } from '../../accounts/parse-id.ts';
import type { Context } from '../../context.ts';
import { personalTokenNotFound } from '../../errors.ts';
import { recordAction } from '../../store/audit.ts';
import { deletePersonalTokens } from '../../store/personal-tokens.ts';
import type { Handlers } from '../handlers.ts';

export function revokePersonalToken({ db, accountChanged }: Context): Handlers['revokePersonalToken'] {
  return async (request) => {
    const accountId = parseId(request.accountId);
    const id = parseId(request.id);
    if (accountId === undefined || id === undefined) throw personalTokenNotFound();
    await db.transaction(async (tx) => {
      if ((await deletePersonalTokens(tx, { accountId, id })) === 0) throw personalTokenNotFound();
      await recordAction(tx, { action: 'token_revoked', accountId, actorId: accountId, detail: { token_id: id } });
    });
    accountChanged(accountId);
    return {};
  };
}

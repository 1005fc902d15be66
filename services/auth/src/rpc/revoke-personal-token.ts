import { parseAccountId, parseId } from '../account-id.ts';
import type { Context } from '../context.ts';
import { personalTokenNotFound } from '../errors.ts';
import { deletePersonalTokens } from '../store/personal-tokens.ts';
import type { AuthRpc } from './index.ts';

export function revokePersonalToken({ db, accountChanged }: Context): AuthRpc['revokePersonalToken'] {
  return async (request) => {
    const accountId = parseAccountId(request.accountId);
    const id = parseId(request.id);
    if (accountId === undefined || id === undefined) throw personalTokenNotFound();
    if ((await deletePersonalTokens(db, { accountId, id })) === 0) throw personalTokenNotFound();
    accountChanged(accountId);
    return {};
  };
}

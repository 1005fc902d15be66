import type { Context } from '../context.ts';
import { hashOf, parseRefreshToken } from '../refresh-token.ts';
import { endFamily } from '../store/sign-ins.ts';
import type { AuthRpc } from './index.ts';

export function signOut({ db, accountChanged }: Context): AuthRpc['signOut'] {
  return async (request) => {
    const shown = parseRefreshToken(request.refreshToken);
    const accountId = shown === undefined ? undefined : await endFamily(db, hashOf(shown.family));
    if (accountId !== undefined) accountChanged(accountId);
    return {};
  };
}

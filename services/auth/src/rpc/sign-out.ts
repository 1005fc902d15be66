import type { Context } from '../context.ts';
import { endFamily } from '../end-family.ts';
import { parseRefreshToken } from '../refresh-token.ts';
import type { AuthRpc } from './index.ts';

export function signOut(context: Context): AuthRpc['signOut'] {
  return async (request) => {
    const shown = parseRefreshToken(request.refreshToken);
    if (shown !== undefined) await endFamily(context, shown, 'signed_out');
    return {};
  };
}

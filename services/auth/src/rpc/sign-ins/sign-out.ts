import type { Context } from '../../context.ts';
import { endFamily } from '../../sign-ins/end-family.ts';
import { parseRefreshToken } from '../../tokens/refresh-token.ts';
import type { Handlers } from '../handlers.ts';

export function signOut(context: Context): Handlers['signOut'] {
  return async (request) => {
    const shown = parseRefreshToken(request.refreshToken);
    if (shown !== undefined) await endFamily(context, shown, 'signed_out');
    return {};
  };
}

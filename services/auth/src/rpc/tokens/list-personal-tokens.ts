import { parseAccountId, parseId } from '../../accounts/account-id.ts';
import type { Context } from '../../context.ts';
import { listPersonalTokens as listRows } from '../../store/personal-tokens.ts';
import { personalTokenMessage } from '../../tokens/personal-token-message.ts';
import type { Handlers } from '../handlers.ts';

export function listPersonalTokens({ db }: Context): Handlers['listPersonalTokens'] {
  return async ({ accountId: id, userId, afterId }) => {
    const accountId = parseAccountId(id);
    if (accountId === undefined) return {};
    const { rows, hasMore } = await listRows(db, { accountId, userId, afterId: parseId(afterId) });
    return { tokens: rows.map(personalTokenMessage), hasMore };
  };
}

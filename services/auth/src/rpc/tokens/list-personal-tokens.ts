import { parseId } from '../../accounts/parse-id.ts';
import type { Context } from '../../context.ts';
import { selectPersonalTokens } from '../../store/personal-tokens.ts';
import { personalTokenMessage } from '../../tokens/personal-token-message.ts';
import type { Handlers } from '../handlers.ts';

export function listPersonalTokens({ db }: Context): Handlers['listPersonalTokens'] {
  return async ({ accountId: id, userId, afterId }) => {
    const accountId = parseId(id);
    if (accountId === undefined) return {};
    const { rows, hasMore } = await selectPersonalTokens(db, { accountId, userId, afterId: parseId(afterId) });
    return { tokens: rows.map(personalTokenMessage), hasMore };
  };
}

import { parseId } from '../../accounts/parse-id.ts';
import type { Context } from '../../context.ts';
import { selectPersonalTokens } from '../../store/personal-tokens.ts';
import { personalTokenMessage } from '../../tokens/personal-token-message.ts';
import type { Handlers } from '../handlers.ts';

export function listPersonalTokens({ db }: Context): Handlers['listPersonalTokens'] {
  return async ({ accountId: id, userId, afterId, limit }) => {
    const accountId = parseId(id);
    if (accountId === undefined) return {};
    const page = { accountId, userId, afterId: parseId(afterId), limit };
    const { rows, hasMore } = await selectPersonalTokens(db, page);
    return { tokens: rows.map(personalTokenMessage), hasMore };
  };
}

import { parseAccountId, parseId } from '../account-id.ts';
import type { Context } from '../context.ts';
import { personalTokenMessage } from '../personal-token-message.ts';
import { listPersonalTokens as listRows } from '../store/personal-tokens.ts';
import type { AuthRpc } from './index.ts';

export function listPersonalTokens({ db }: Context): AuthRpc['listPersonalTokens'] {
  return async ({ accountId: id, userId, afterId }) => {
    const accountId = parseAccountId(id);
    if (accountId === undefined) return {};
    const { rows, hasMore } = await listRows(db, { accountId, userId, afterId: parseId(afterId) });
    return { tokens: rows.map(personalTokenMessage), hasMore };
  };
}

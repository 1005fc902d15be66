import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../context.ts';
import { pageLimit } from '../page-limit.ts';
import { canExist } from '../session-key.ts';
import { invalid } from '../errors.ts';
import { selectSessionKeys } from '../store/session-pages.ts';
import type { Handlers } from './handlers.ts';

/** Returns one page of the keys of an account's sessions. */
export function listSessionKeys({ db }: Context): Handlers['listSessionKeys'] {
  return async ({ accountId, after, limit }) => {
    if (after !== undefined && !canExist(after)) throw invalid('No such place.');
    const { appName = '', userId = '', sessionId = '' } = after ?? {};
    const place = { accountId: checkAccountId(accountId), appName, userId, sessionId };
    return { keys: await selectSessionKeys(db, place, pageLimit(limit)) };
  };
}

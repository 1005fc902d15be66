import { parseAccountId, parseId } from '../account-id.ts';
import type { Context } from '../context.ts';
import { endSignIns as endRows } from '../store/sign-ins.ts';
import type { AuthRpc } from './index.ts';

export function endSignIns({ db, accountChanged }: Context): AuthRpc['endSignIns'] {
  return async (request) => {
    const accountId = parseAccountId(request.accountId);
    if (accountId === undefined) return {};
    if (await endRows(db, { accountId, exceptId: parseId(request.exceptId) })) accountChanged(accountId);
    return {};
  };
}

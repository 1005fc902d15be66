import { parseAccountId, parseId } from '../account-id.ts';
import type { Context } from '../context.ts';
import { signInNotFound } from '../errors.ts';
import { endSignIn as endRow } from '../store/sign-ins.ts';
import type { AuthRpc } from './index.ts';

export function endSignIn({ db, accountChanged }: Context): AuthRpc['endSignIn'] {
  return async (request) => {
    const accountId = parseAccountId(request.accountId);
    const id = parseId(request.id);
    if (accountId === undefined || id === undefined) throw signInNotFound();
    if (!(await endRow(db, { accountId, id }))) throw signInNotFound();
    accountChanged(accountId);
    return {};
  };
}

import { parseAccountId } from '../account-id.ts';
import { accountMessage } from '../account-message.ts';
import type { Context } from '../context.ts';
import { accountNotFound } from '../errors.ts';
import { findAccount } from '../store/accounts.ts';
import type { AuthRpc } from './index.ts';

export function getAccount({ db }: Context): AuthRpc['getAccount'] {
  return async (request) => {
    const id = parseAccountId(request.id);
    const row = id === undefined ? undefined : await findAccount(db, id);
    if (row === undefined) throw accountNotFound();
    return { account: accountMessage(row) };
  };
}

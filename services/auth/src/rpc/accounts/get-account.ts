import { parseAccountId } from '../../accounts/account-id.ts';
import { accountMessage } from '../../accounts/account-message.ts';
import type { Context } from '../../context.ts';
import { accountNotFound } from '../../errors.ts';
import { findAccount } from '../../store/accounts.ts';
import type { Handlers } from '../handlers.ts';

export function getAccount({ db }: Context): Handlers['getAccount'] {
  return async (request) => {
    const id = parseAccountId(request.id);
    const row = id === undefined ? undefined : await findAccount(db, id);
    if (row === undefined) throw accountNotFound();
    return { account: accountMessage(row) };
  };
}

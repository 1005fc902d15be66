import { accountMessage } from '../../accounts/account-message.ts';
import { parseId } from '../../accounts/parse-id.ts';
import type { Context } from '../../context.ts';
import { accountNotFound } from '../../errors.ts';
import { selectAccount } from '../../store/accounts.ts';
import type { Handlers } from '../handlers.ts';

export function getAccount({ db }: Context): Handlers['getAccount'] {
  return async (request) => {
    const id = parseId(request.id);
    const row = id === undefined ? undefined : await selectAccount(db, id);
    if (row === undefined) throw accountNotFound();
    return { account: accountMessage(row) };
  };
}

import { accountMessage } from '../../accounts/account-message.ts';
import { findPermitted } from '../../accounts/permitted-account.ts';
import type { Context } from '../../context.ts';
import type { Handlers } from '../handlers.ts';

export function findAccount({ db }: Context): Handlers['findAccount'] {
  return async (request) => ({ account: accountMessage(await findPermitted(db, request, 'Not allowed')) });
}

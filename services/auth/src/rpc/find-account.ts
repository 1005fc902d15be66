import { accountMessage } from '../account-message.ts';
import type { Context } from '../context.ts';
import { findPermitted } from '../permitted-account.ts';
import type { AuthRpc } from './index.ts';

export function findAccount({ db }: Context): AuthRpc['findAccount'] {
  return async (request) => ({ account: accountMessage(await findPermitted(db, request, 'Not allowed')) });
}

import type { Context } from '../../context.ts';
import type { Handlers } from '../handlers.ts';
import { findRunHolder } from './find-run-holder.ts';
import { listSlowAccounts } from './list-slow-accounts.ts';

/** Questions of operators about slow runs. */
export function operatorHandlers(context: Context): Pick<Handlers, 'findRunHolder' | 'listSlowAccounts'> {
  return {
    findRunHolder: findRunHolder(context),
    listSlowAccounts: listSlowAccounts(context),
  };
}

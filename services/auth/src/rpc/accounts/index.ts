import { once } from '@agentmesh/lib/idempotency';
import { AuthService } from '@agentmesh/proto/auth/v1';
import type { Context } from '../../context.ts';
import type { Handlers } from '../handlers.ts';
import { findAccount } from './find-account.ts';
import { getAccount } from './get-account.ts';
import { listAccounts } from './list-accounts.ts';
import { listActions } from './list-actions.ts';
import { recordConsumerCalls } from './record-consumer-calls.ts';
import { recordExport } from './record-export.ts';
import { signUp } from './sign-up.ts';
import { updateAccount } from './update-account.ts';

/** Accounts: sign-up, profiles, lists, and what was done with them. */
export function accountHandlers(
  context: Context,
): Pick<
  Handlers,
  | 'signUp'
  | 'getAccount'
  | 'findAccount'
  | 'listAccounts'
  | 'updateAccount'
  | 'listActions'
  | 'recordConsumerCalls'
  | 'recordExport'
> {
  return {
    signUp: signUp(context),
    getAccount: getAccount(context),
    findAccount: findAccount(context),
    listAccounts: listAccounts(context),
    updateAccount: once(context, AuthService.method.updateAccount, updateAccount),
    listActions: listActions(context),
    recordConsumerCalls: recordConsumerCalls(context),
    recordExport: recordExport(context),
  };
}

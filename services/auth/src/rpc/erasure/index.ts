import type { Context } from '../../context.ts';
import type { Handlers } from '../handlers.ts';
import { checkErasure } from './check-erasure.ts';
import { deleteAccount } from './delete-account.ts';
import { getErasure } from './get-erasure.ts';
import { reportErasure } from './report-erasure.ts';

/** Deletion of accounts, and its receipts. */
export function erasureHandlers(
  context: Context,
): Pick<Handlers, 'deleteAccount' | 'getErasure' | 'checkErasure' | 'reportErasure'> {
  return {
    deleteAccount: deleteAccount(context),
    getErasure: getErasure(context),
    checkErasure: checkErasure(context),
    reportErasure: reportErasure(context),
  };
}

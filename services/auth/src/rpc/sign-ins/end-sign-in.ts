import { parseAccountId, parseId } from '../../accounts/account-id.ts';
import type { Context } from '../../context.ts';
import { signInNotFound } from '../../errors.ts';
import { recordAction } from '../../store/audit.ts';
import { endSignIn as endRow } from '../../store/sign-ins.ts';
import type { Handlers } from '../handlers.ts';

export function endSignIn({ db, accountChanged }: Context): Handlers['endSignIn'] {
  return async (request) => {
    const accountId = parseAccountId(request.accountId);
    const id = parseId(request.id);
    if (accountId === undefined || id === undefined) throw signInNotFound();
    await db.transaction(async (tx) => {
      if (!(await endRow(tx, { accountId, id }))) throw signInNotFound();
      const detail = { sign_in_id: id };
      await recordAction(tx, { action: 'sign_in_ended', accountId, actorId: accountId, detail });
    });
    accountChanged(accountId);
    return {};
  };
}

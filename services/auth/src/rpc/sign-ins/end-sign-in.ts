import { parseId } from '../../accounts/parse-id.ts';
import type { Context } from '../../context.ts';
import { signInNotFound } from '../../errors.ts';
import { recordAction } from '../../store/audit.ts';
import { markSignInEnded } from '../../store/sign-ins.ts';
import type { Handlers } from '../handlers.ts';

export function endSignIn({ db, accountChanged }: Context): Handlers['endSignIn'] {
  return async (request) => {
    const accountId = parseId(request.accountId);
    const id = parseId(request.id);
    if (accountId === undefined || id === undefined) throw signInNotFound();
    await db.transaction(async (tx) => {
      if (!(await markSignInEnded(tx, { accountId, id }))) throw signInNotFound();
      const detail = { sign_in_id: id };
      await recordAction(tx, { action: 'sign_in_ended', accountId, actorId: accountId, detail });
    });
    accountChanged(accountId);
    return {};
  };
}

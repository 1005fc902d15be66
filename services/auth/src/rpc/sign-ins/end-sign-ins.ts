import { parseAccountId, parseId } from '../../accounts/account-id.ts';
import type { Context } from '../../context.ts';
import { recordAction } from '../../store/audit.ts';
import { endSignIns as endRows } from '../../store/sign-ins.ts';
import type { Handlers } from '../handlers.ts';

export function endSignIns({ db, accountChanged }: Context): Handlers['endSignIns'] {
  return async (request) => {
    const accountId = parseAccountId(request.accountId);
    if (accountId === undefined) return {};
    const exceptId = parseId(request.exceptId);
    await db.transaction(async (tx) => {
      if (!(await endRows(tx, { accountId, exceptId }))) return;
      const detail = exceptId === undefined ? {} : { except_id: exceptId };
      await recordAction(tx, { action: 'sign_ins_ended', accountId, actorId: accountId, detail });
    });
    accountChanged(accountId);
    return {};
  };
}

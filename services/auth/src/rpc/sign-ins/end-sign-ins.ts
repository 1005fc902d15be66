import type { Transaction } from '@agentmesh/lib/pg';
import { parseId } from '../../accounts/parse-id.ts';
import type { Context } from '../../context.ts';
import { recordAction } from '../../store/audit.ts';
import { markSignInsEnded } from '../../store/sign-ins.ts';
import { repeatOnDeadlock } from '../../tokens/repeat-on-deadlock.ts';
import { revokeTokens } from '../../tokens/revoke-tokens.ts';
import type { Handlers } from '../handlers.ts';

export function endSignIns({ db, accountChanged }: Context): Handlers['endSignIns'] {
  return async (request) => {
    const accountId = parseId(request.accountId);
    if (accountId === undefined) return {};
    const exceptId = parseId(request.exceptId);
    const end = async (tx: Transaction): Promise<void> => {
      if (!(await markSignInsEnded(tx, { accountId, exceptId }))) return;
      const detail = exceptId === undefined ? {} : { except_id: exceptId };
      await recordAction(tx, { action: 'sign_ins_ended', accountId, actorId: accountId, detail });
      if (request.tokens) await revokeTokens(tx, { accountId });
    };
    await repeatOnDeadlock(() => db.transaction(end));
    accountChanged(accountId);
    return {};
  };
}

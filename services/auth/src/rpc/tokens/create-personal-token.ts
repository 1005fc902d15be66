import { lockForCaller } from '../../accounts/lock-for-caller.ts';
import { parseId } from '../../accounts/parse-id.ts';
import type { Context } from '../../context.ts';
import { accountNotFound } from '../../errors.ts';
import { personalTokenMessage } from '../../tokens/personal-token-message.ts';
import type { Handlers } from '../handlers.ts';
import { addPersonalToken } from './add-personal-token.ts';
import { checkPersonalToken } from './check-personal-token.ts';

export function createPersonalToken(context: Context): Handlers['createPersonalToken'] {
  return async (request) => {
    checkPersonalToken(request);
    const accountId = parseId(request.accountId);
    if (accountId === undefined) throw accountNotFound();
    const { db, jobs } = context;
    const { name, scopes, userId } = request;
    const wanted = { accountId, name, scopes, userId, lifeSeconds: Number(request.lifeSeconds) };
    const { secret, row } = await db.transaction(async (tx) => {
      await lockForCaller(tx, accountId, request);
      return addPersonalToken(tx, jobs, wanted);
    });
    return { secret, token: personalTokenMessage(row) };
  };
}

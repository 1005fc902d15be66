import { lockForCaller } from '../../accounts/lock-for-caller.ts';
import { parseId } from '../../accounts/parse-id.ts';
import type { Context } from '../../context.ts';
import { accountNotFound, deviceCodeNotFound } from '../../errors.ts';
import { decideDeviceSignIn as decide } from '../../store/device-sign-ins.ts';
import { readUserCode } from '../../tokens/device-codes.ts';
import type { Handlers } from '../handlers.ts';

export function decideDeviceSignIn({ db }: Context): Handlers['decideDeviceSignIn'] {
  return async (request) => {
    const accountId = parseId(request.accountId);
    if (accountId === undefined) throw accountNotFound();
    const { userCode, isApproved } = request;
    const decision = { userCode: readUserCode(userCode), accountId: isApproved ? accountId : undefined };
    await db.transaction(async (tx) => {
      await lockForCaller(tx, accountId, request);
      if (!(await decide(tx, decision))) throw deviceCodeNotFound();
    });
    return {};
  };
}

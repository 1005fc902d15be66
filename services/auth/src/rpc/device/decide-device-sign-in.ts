import { parseId } from '../../accounts/parse-id.ts';
import type { Context } from '../../context.ts';
import { accountNotFound, deviceCodeNotFound } from '../../errors.ts';
import { selectAccount } from '../../store/accounts.ts';
import { decideDeviceSignIn as decide } from '../../store/device-sign-ins.ts';
import { readUserCode } from '../../tokens/device-codes.ts';
import type { Handlers } from '../handlers.ts';

export function decideDeviceSignIn({ db }: Context): Handlers['decideDeviceSignIn'] {
  return async ({ accountId: id, userCode, isApproved }) => {
    const accountId = parseId(id);
    if (accountId === undefined || (await selectAccount(db, accountId)) === undefined) throw accountNotFound();
    const decision = { userCode: readUserCode(userCode), accountId: isApproved ? accountId : undefined };
    if (!(await decide(db, decision))) throw deviceCodeNotFound();
    return {};
  };
}

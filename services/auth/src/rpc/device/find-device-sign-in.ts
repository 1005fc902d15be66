import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Context } from '../../context.ts';
import { deviceCodeNotFound } from '../../errors.ts';
import { selectDeviceSignIn } from '../../store/device-sign-ins.ts';
import { printUserCode, readUserCode } from '../../tokens/device-codes.ts';
import type { Handlers } from '../handlers.ts';

export function findDeviceSignIn({ db }: Context): Handlers['findDeviceSignIn'] {
  return async ({ userCode }) => {
    const row = await selectDeviceSignIn(db, readUserCode(userCode));
    if (row === undefined) throw deviceCodeNotFound();
    const { user_code: code, client, scopes, expires_at: expiresAt } = row;
    return { userCode: printUserCode(code), client, scopes, expiresAt: timestampFromDate(expiresAt) };
  };
}

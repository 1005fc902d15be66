import { lockKey } from '@agentmesh/lib/pg';
import type { Context } from '../../context.ts';
import { deviceSignInsTooMany } from '../../errors.ts';
import { insertDeviceSignIn } from '../../store/device-sign-ins.ts';
import { hashDeviceCode, mintDeviceCode, mintUserCode, printUserCode } from '../../tokens/device-codes.ts';
import type { Handlers } from '../handlers.ts';
import { checkPersonalToken } from '../tokens/check-personal-token.ts';
import { intervalSeconds, tokenLifeSeconds } from './device-times.ts';

const lifeSeconds = 600;
/** Most programs that wait at once. */
const mostWaiting = 10_000;

export function startDeviceSignIn({ db }: Context): Handlers['startDeviceSignIn'] {
  return async ({ client, scopes }) => {
    checkPersonalToken({ name: client, scopes, lifeSeconds: BigInt(tokenLifeSeconds) });
    const [deviceCode, userCode] = [mintDeviceCode(), mintUserCode()];
    const signIn = { deviceHash: hashDeviceCode(deviceCode), userCode, client, scopes, lifeSeconds };
    // A user code that is taken already is as rare as a lottery prize; the program asks again.
    const isStored = await db.transaction(async (tx) => {
      // The count sees what calls at the same time have stored.
      await lockKey(tx, 'device-sign-ins', '');
      return insertDeviceSignIn(tx, signIn, mostWaiting);
    });
    if (!isStored) throw deviceSignInsTooMany();
    return { deviceCode, userCode: printUserCode(userCode), lifeSeconds, intervalSeconds };
  };
}

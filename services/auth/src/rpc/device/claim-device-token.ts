import { DeviceSignInState } from '@agentmesh/proto/auth/v1';
import type { Context } from '../../context.ts';
import { lockAccount } from '../../store/accounts.ts';
import { deleteDeviceSignIn, pollDeviceSignIn } from '../../store/device-sign-ins.ts';
import { hashDeviceCode } from '../../tokens/device-codes.ts';
import { personalTokenMessage } from '../../tokens/personal-token-message.ts';
import type { Handlers } from '../handlers.ts';
import { addPersonalToken } from '../tokens/add-personal-token.ts';
import { intervalSeconds, tokenLifeSeconds } from './device-times.ts';

/** Clocks of programs may be a little fast. */
const leewaySeconds = 0.5;

export function claimDeviceToken({ db, jobs }: Context): Handlers['claimDeviceToken'] {
  return async ({ deviceCode }) => {
    const deviceHash = hashDeviceCode(deviceCode);
    const found = await pollDeviceSignIn(db, deviceHash, intervalSeconds - leewaySeconds);
    if (found === undefined) return { state: DeviceSignInState.EXPIRED };
    const { account_id: accountId, is_denied: isDenied, is_early: isEarly, client: name, scopes } = found;
    if (isDenied) return { state: DeviceSignInState.DENIED };
    if (isEarly) return { state: DeviceSignInState.SLOW_DOWN };
    if (accountId === null) return { state: DeviceSignInState.PENDING };
    return db.transaction(async (tx) => {
      // In the order of everything that ends approvals: the account first. An approval that was ended meanwhile is gone.
      const stands = (await lockAccount(tx, accountId)) && (await deleteDeviceSignIn(tx, deviceHash));
      if (!stands) return { state: DeviceSignInState.EXPIRED };
      const wanted = { accountId, name, scopes, userId: undefined, lifeSeconds: tokenLifeSeconds };
      const { secret, row } = await addPersonalToken(tx, jobs, wanted);
      const token = personalTokenMessage(row);
      return { state: DeviceSignInState.APPROVED, secret, token, lifeSeconds: BigInt(tokenLifeSeconds) };
    });
  };
}

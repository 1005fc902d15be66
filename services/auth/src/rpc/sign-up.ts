import { accountMessage } from '../account-message.ts';
import type { Context } from '../context.ts';
import { normalizeEmailAddress } from '../email-address.ts';
import { emailInUse, registrationDisabled } from '../errors.ts';
import { checkNewPassword } from '../password.ts';
import { checkProfile } from '../profile.ts';
import { insertAccount } from '../store/accounts.ts';
import type { AuthRpc } from './index.ts';

export function signUp({ config, db, passwords }: Context): AuthRpc['signUp'] {
  return async (request, { signal }) => {
    if (!config.AUTH_REGISTER_ENABLED || !config.AUTH_BASIC_ENABLED) throw registrationDisabled();
    const profile = { ...checkProfile(request), email: normalizeEmailAddress(request.email) };
    if (request.password !== '') checkNewPassword(request.password);

    const row = await insertAccount(db, {
      ...profile,
      passwordHash: request.password === '' ? undefined : await passwords.hash(request.password, signal),
      role: 'USER',
      emailVerified: false,
      emailVerificationWaived: !config.AUTH_EMAIL_VERIFICATION_REQUIRED,
    });
    if (row === undefined) throw emailInUse();
    return { account: accountMessage(row) };
  };
}

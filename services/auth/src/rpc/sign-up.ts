import { accountMessage } from '../account-message.ts';
import type { Context } from '../context.ts';
import { normalizeEmailAddress } from '../email-address.ts';
import { emailInUse, registrationDisabled } from '../errors.ts';
import { checkNewPassword } from '../password.ts';
import { checkProfile } from '../profile.ts';
import { insertAccount } from '../store/accounts.ts';
import { recordAction } from '../store/audit.ts';
import { enqueueMail } from '../store/mails.ts';
import type { AuthRpc } from './index.ts';

export function signUp({ config, db, passwords }: Context): AuthRpc['signUp'] {
  return async (request, { signal }) => {
    if (!config.AUTH_REGISTER_ENABLED || !config.AUTH_BASIC_ENABLED) throw registrationDisabled();
    const profile = { ...checkProfile(request), email: normalizeEmailAddress(request.email) };
    if (request.password !== '') checkNewPassword(request.password);

    const passwordHash = request.password === '' ? undefined : await passwords.hash(request.password, signal);
    const verificationRequired = config.AUTH_EMAIL_VERIFICATION_REQUIRED;
    const row = await db.transaction(async (tx) => {
      const standing = { role: 'USER', emailVerified: false, emailVerificationWaived: !verificationRequired } as const;
      const made = await insertAccount(tx, { ...profile, ...standing, passwordHash });
      if (made === undefined) return undefined;
      await recordAction(tx, { action: 'signed_up', accountId: made.id });
      if (verificationRequired) await enqueueMail(tx, { kind: 'verify', address: made.email, accountId: made.id });
      return made;
    });
    if (row === undefined) throw emailInUse();
    return { account: accountMessage(row) };
  };
}

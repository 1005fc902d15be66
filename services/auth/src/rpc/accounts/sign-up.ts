import { accountMessage } from '../../accounts/account-message.ts';
import { normalizeEmailAddress } from '../../accounts/email-address.ts';
import { checkProfile } from '../../accounts/profile.ts';
import type { Context } from '../../context.ts';
import { emailInUse, registrationDisabled } from '../../errors.ts';
import { enqueueMail } from '../../mail/send-mail.ts';
import { checkNewPassword } from '../../passwords/password.ts';
import { insertAccount } from '../../store/accounts.ts';
import { recordAction } from '../../store/audit.ts';
import type { Handlers } from '../handlers.ts';

export function signUp({ config, db, jobs, passwords }: Context): Handlers['signUp'] {
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
      if (verificationRequired) await enqueueMail(tx, jobs, { kind: 'verify', address: made.email });
      return made;
    });
    if (row === undefined) throw emailInUse();
    return { account: accountMessage(row) };
  };
}

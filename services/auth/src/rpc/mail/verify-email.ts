import { promote } from '../../accounts/superadmin.ts';
import type { Context } from '../../context.ts';
import { basicAuthDisabled, mailTokenOrphaned } from '../../errors.ts';
import { markVerified } from '../../store/accounts.ts';
import { recordAction } from '../../store/audit.ts';
import { useMailToken } from '../../store/mail-tokens.ts';
import { checkMailToken } from '../../tokens/check-mail-token.ts';
import type { Handlers } from '../handlers.ts';

export function verifyEmail(context: Context): Handlers['verifyEmail'] {
  const { config, db } = context;
  return async (request) => {
    if (!config.AUTH_BASIC_ENABLED) throw basicAuthDisabled();
    const { accountId, hash } = await checkMailToken(db, request.token, 'verify');
    const email = await db.transaction(async (tx) => {
      await useMailToken(tx, hash);
      const account = await markVerified(tx, accountId);
      if (account === undefined) throw mailTokenOrphaned();
      // A page that is loaded again sends the same token again. That succeeds and is not recorded twice.
      if (!account.was_verified) await recordAction(tx, { action: 'email_verified', accountId });
      return account.email;
    });
    if (email === config.DEFAULT_SUPERADMIN_EMAIL && (await promote(context, email))) context.accountChanged(accountId);
    return {};
  };
}

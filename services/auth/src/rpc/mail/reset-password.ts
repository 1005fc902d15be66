import type { Context } from '../../context.ts';
import { basicAuthDisabled, mailTokenInvalid, mailTokenOrphaned } from '../../errors.ts';
import { checkNewPassword } from '../../passwords/password.ts';
import { markVerified, setPasswordHash } from '../../store/accounts.ts';
import { recordAction } from '../../store/audit.ts';
import { endMailTokens, useMailToken } from '../../store/mail-tokens.ts';
import { removeMailsTo } from '../../store/mails.ts';
import { deletePersonalTokens } from '../../store/personal-tokens.ts';
import { endSignIns } from '../../store/sign-ins.ts';
import { checkMailToken } from '../../tokens/check-mail-token.ts';
import type { Handlers } from '../handlers.ts';

export function resetPassword(context: Context): Handlers['resetPassword'] {
  const { config, db, passwords, accountChanged } = context;
  return async (request, { signal }) => {
    if (!config.AUTH_BASIC_ENABLED) throw basicAuthDisabled();
    checkNewPassword(request.newPassword);
    // Before the hash, which costs more than anything else here.
    const token = await checkMailToken(db, request.token, 'reset');
    if (token.used) throw mailTokenInvalid();
    const hash = await passwords.hash(request.newPassword, signal);
    await db.transaction(async (tx) => {
      // Of two at once, one waits here and then finds it used.
      if (!(await useMailToken(tx, token.hash))) throw mailTokenInvalid();
      // Whoever has the link reads mail at the address.
      const account = await markVerified(tx, token.accountId);
      if (account === undefined) throw mailTokenOrphaned();
      await setPasswordHash(tx, token.accountId, hash);
      await endMailTokens(tx, token.accountId, 'reset');
      await removeMailsTo(tx, account.email, 'reset');
      await endSignIns(tx, { accountId: token.accountId, exceptId: undefined });
      // Whoever knew the old password may have made some.
      await deletePersonalTokens(tx, { accountId: token.accountId });
      await recordAction(tx, { action: 'password_reset', accountId: token.accountId });
    });
    accountChanged(token.accountId);
    return {};
  };
}

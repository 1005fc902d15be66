import type { Transaction } from '@agentmesh/lib/pg';
import type { Context } from '../../context.ts';
import { basicAuthDisabled, mailTokenInvalid, mailTokenOrphaned } from '../../errors.ts';
import { withdrawMails } from '../../mail/send-mail.ts';
import { markVerified, setPasswordHash } from '../../store/accounts.ts';
import { recordAction } from '../../store/audit.ts';
import { endMailTokens, useMailToken } from '../../store/mail-tokens.ts';
import { markSignInsEnded } from '../../store/sign-ins.ts';
import { checkMailToken } from '../../tokens/check-mail-token.ts';
import { deleteAllTokens } from '../../tokens/delete-all-tokens.ts';
import { repeatOnDeadlock } from '../../tokens/repeat-on-deadlock.ts';
import type { Handlers } from '../handlers.ts';

export function resetPassword(context: Context): Handlers['resetPassword'] {
  const { config, db, jobs, passwords, accountChanged } = context;
  return async (request, { signal }) => {
    if (!config.AUTH_BASIC_ENABLED) throw basicAuthDisabled();
    passwords.checkNew(request.newPassword);
    // Checked before hashing, which costs much more.
    const token = await checkMailToken(db, request.token, 'reset');
    if (token.used) throw mailTokenInvalid();
    const hash = await passwords.hash(request.newPassword, { signal });
    const reset = async (tx: Transaction): Promise<void> => {
      // The second of two concurrent requests waits here and then finds the token used.
      if (!(await useMailToken(tx, token.hash))) throw mailTokenInvalid();
      // The link was mailed to the address, so the address is proven.
      const account = await markVerified(tx, token.accountId);
      if (account === undefined) throw mailTokenOrphaned();
      passwords.checkNew(request.newPassword, account.email);
      await setPasswordHash(tx, token.accountId, hash);
      await endMailTokens(tx, token.accountId, 'reset');
      await withdrawMails(tx, jobs, { kind: 'reset', address: account.email });
      await markSignInsEnded(tx, { accountId: token.accountId, exceptId: undefined });
      // Somebody who knew the old password may have created tokens, and approved programs.
      await deleteAllTokens(tx, token.accountId);
      await recordAction(tx, { action: 'password_reset', accountId: token.accountId });
    };
    await repeatOnDeadlock(() => db.transaction(reset));
    accountChanged(token.accountId);
    return {};
  };
}

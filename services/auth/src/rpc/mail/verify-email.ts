import type { Transaction } from '@agentmesh/lib/pg';
import type { Context } from '../../context.ts';
import { basicAuthDisabled, mailTokenInvalid, mailTokenOrphaned } from '../../errors.ts';
import { enqueueMail } from '../../mail/send-mail.ts';
import { markVerified, type ProvenRow, setPasswordHash } from '../../store/accounts.ts';
import { recordAction } from '../../store/audit.ts';
import { useMailToken } from '../../store/mail-tokens.ts';
import { findFamily, markSignInsEnded } from '../../store/sign-ins.ts';
import { checkMailToken } from '../../tokens/check-mail-token.ts';
import { deleteAllTokens } from '../../tokens/delete-all-tokens.ts';
import { hashOf, parseRefreshToken } from '../../tokens/refresh-token.ts';
import { repeatOnDeadlock } from '../../tokens/repeat-on-deadlock.ts';
import { isSignUpProof } from '../../tokens/sign-up-proof.ts';
import type { Handlers } from '../handlers.ts';

type VerifyEmailRequest = Parameters<Handlers['verifyEmail']>[0];

export function verifyEmail(context: Context): Handlers['verifyEmail'] {
  const { config, db, accountChanged } = context;
  return async (request) => {
    if (!config.AUTH_BASIC_ENABLED) throw basicAuthDisabled();
    const { accountId, hash } = await checkMailToken(db, request.token, 'verify');
    const verify = async (tx: Transaction): Promise<void> => {
      const isUsable = await useMailToken(tx, hash);
      const account = await markVerified(tx, accountId);
      if (account === undefined) throw mailTokenOrphaned();
      // A page that is loaded again sends the same token again. That succeeds and changes nothing.
      if (account.was_verified) return;
      // The link was ended unused: the account may have lost the address.
      if (!isUsable) throw mailTokenInvalid();
      const isOwn = neverUsed(config, account) || (await choseThePassword(tx, { ...account, id: accountId }, request));
      if (!isOwn) await lockOut(context, tx, { ...account, id: accountId });
      await recordAction(tx, { action: 'email_verified', accountId, detail: isOwn ? {} : { credentials_ended: true } });
    };
    await repeatOnDeadlock(() => db.transaction(verify));
    accountChanged(accountId);
    return {};
  };
}

type Proven = ProvenRow & { readonly id: string };

/**
 * Whether one browser signed up and nobody can have signed in: the address had to be proven first. Then the password of the
 * sign-up stays, because the link in the mail is often opened on another device than the one that signed up.
 */
function neverUsed({ AUTH_EMAIL_VERIFICATION_REQUIRED: isRequired }: Context['config'], account: ProvenRow): boolean {
  return isRequired && !account.was_waived && account.sign_up_hash !== null;
}

/** Whether the caller's browser is the one that signed up, or is signed in to the account. */
async function choseThePassword(tx: Transaction, { id, sign_up_hash: hash }: Proven, shown: VerifyEmailRequest) {
  if (isSignUpProof(shown.signUpProof, hash)) return true;
  const token = parseRefreshToken(shown.refreshToken);
  if (token === undefined) return false;
  const family = await findFamily(tx, { familyHash: hashOf(token.family), shownHash: hashOf(token.secret) });
  if (family === undefined || family.account_id !== id || family.ended || family.expired) return false;
  return family.is_current || family.is_recent_parent;
}

/** Ends everything that somebody can hold who signed up with an address of somebody else. A mail lets the owner choose a password. */
async function lockOut({ jobs }: Context, tx: Transaction, account: Proven): Promise<void> {
  const { id: accountId, email: address } = account;
  await markSignInsEnded(tx, { accountId, exceptId: undefined });
  await deleteAllTokens(tx, accountId);
  if (!account.has_password) return;
  await setPasswordHash(tx, accountId, null);
  await enqueueMail(tx, jobs, { kind: 'reset', address });
}

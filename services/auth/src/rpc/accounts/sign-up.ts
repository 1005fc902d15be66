import { randomUUID } from 'node:crypto';
import type { Transaction } from '@agentmesh/lib/pg';
import { accountMessage } from '../../accounts/account-message.ts';
import { normalizeEmailAddress } from '../../email-address.ts';
import { checkProfile } from '../../accounts/profile.ts';
import type { Config } from '../../config.ts';
import type { Context } from '../../context.ts';
import { emailInUse, registrationDisabled } from '../../errors.ts';
import { enqueueMail } from '../../mail/send-mail.ts';
import {
  type AccountRow,
  contestSignUp,
  insertAccount,
  type NewAccount,
  selectIsTaken,
  selectUnusedUserId,
} from '../../store/accounts.ts';
import { recordAction } from '../../store/audit.ts';
import { hashSignUpProof, mintSignUpProof } from '../../tokens/sign-up-proof.ts';
import type { Handlers } from '../handlers.ts';

export function signUp(context: Context): Handlers['signUp'] {
  const { config, db, passwords } = context;
  return async (request, call) => {
    if (!config.AUTH_REGISTER_ENABLED || !config.AUTH_BASIC_ENABLED) throw registrationDisabled();
    const profile = { ...checkProfile(request), email: normalizeEmailAddress(request.email) };
    if (request.password !== '') passwords.checkNew(request.password, profile.email);
    // Before hashing, which costs much more. Where the answer hides whether the address is taken, the time must hide it too.
    if (!hidesAccounts(config) && (await selectIsTaken(db, profile.email))) throw emailInUse();
    const passwordHash =
      request.password === ''
        ? undefined
        : await passwords.hash(request.password, { signal: call.signal, isUrgent: false });

    const proof = mintSignUpProof();
    const account: NewAccount = {
      ...profile,
      passwordHash,
      role: 'USER',
      emailVerified: false,
      emailVerificationWaived: !config.AUTH_EMAIL_VERIFICATION_REQUIRED,
      signUpHash: hashSignUpProof(proof),
    };
    const row = await db.within(call).transaction((tx) => create(context, tx, account));
    return { account: accountMessage(row), proof };
  };
}

/** Whether a sign-up must not tell if its address has an account: a mail tells it to the owner. */
function hidesAccounts({ AUTH_EMAIL_VERIFICATION_REQUIRED: isRequired, SMTP_URL: server }: Config): boolean {
  return isRequired && server !== undefined;
}

/** The new account. For an address that has one: an invented account, or `email_in_use`. */
async function create({ config, jobs }: Context, tx: Transaction, account: NewAccount): Promise<AccountRow> {
  const hides = hidesAccounts(config);
  const isTaken = hides && (await selectIsTaken(tx, account.email));
  // A sign-up at the same time may have taken the address since.
  const made = isTaken ? undefined : await insertAccount(tx, account);
  if (made === undefined && !hides) throw emailInUse();
  if (made === undefined) await contestSignUp(tx, account.email);
  else await recordAction(tx, { action: 'signed_up', accountId: made.id });
  if (config.AUTH_EMAIL_VERIFICATION_REQUIRED) await enqueueMail(tx, jobs, { kind: 'verify', address: account.email });
  return made ?? invented(account, await selectUnusedUserId(tx));
}

function invented(account: NewAccount, userId: bigint): AccountRow {
  const now = new Date();
  return {
    id: randomUUID(),
    user_id: userId,
    email: account.email,
    first_name: account.firstName,
    last_name: account.lastName,
    username: account.username ?? null,
    full_name: account.fullName ?? null,
    avatar_url: account.avatarUrl ?? null,
    role: 'USER',
    onboarding_completed: false,
    created_at: now,
    updated_at: now,
  };
}

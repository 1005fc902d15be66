import type { Context } from '../context.ts';
import { withdrawMails } from '../mail/send-mail.ts';
import {
  type CredentialsRow,
  findCredentials,
  insertAccount,
  updateToAdmin,
  updateToNoAddress,
} from '../store/accounts.ts';
import { recordAction } from '../store/audit.ts';
import { endMailTokens } from '../store/mail-tokens.ts';

/** Replicas that start together may change the account between two steps. Then all steps are done again. */
const attempts = 5;

interface Superadmin {
  readonly email: string;
  readonly password: string;
}

/**
 * Makes sure that the account of DEFAULT_SUPERADMIN_EMAIL exists and is an ADMIN. Anybody may have signed up with that address, so an
 * existing account becomes an ADMIN only if it has the configured password. One with another password loses the address, unless it
 * has proven it. A password is never changed.
 */
export async function ensureSuperadmin(context: Context): Promise<void> {
  const { DEFAULT_SUPERADMIN_EMAIL: email, DEFAULT_SUPERADMIN_PASSWORD: password } = context.config;
  if (email === undefined) return;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const account = await findCredentials(context.db, email);
    if (account?.role === 'ADMIN') return;
    if (password === undefined) return warnOfNoPassword(context);
    if (await settle(context, account, { email, password })) return;
  }
  throw new Error('the account of DEFAULT_SUPERADMIN_EMAIL changed all the time while the service started');
}

function warnOfNoPassword({ log }: Context): void {
  log.warn('DEFAULT_SUPERADMIN_EMAIL names no admin, and DEFAULT_SUPERADMIN_PASSWORD is not set: no admin was created');
}

/** Takes one step. False when the account has to be looked at again. */
async function settle(context: Context, account: CredentialsRow | undefined, admin: Superadmin): Promise<boolean> {
  if (account === undefined) return create(context, admin);
  const { matches } = await context.passwords.verify(admin.password, account.password_hash ?? undefined);
  if (matches) return promote(context, account);
  if (!account.verified) return takeAddressBack(context, account);
  context.log.warn(
    { accountId: account.id },
    'the account of DEFAULT_SUPERADMIN_EMAIL has another password than DEFAULT_SUPERADMIN_PASSWORD: it was not promoted to ADMIN',
  );
  return true;
}

async function promote({ db, log }: Context, { id, password_hash: hash }: CredentialsRow): Promise<boolean> {
  const isAdmin = await db.transaction(async (tx) => {
    if (!(await updateToAdmin(tx, id, hash ?? ''))) return false;
    await recordAction(tx, { action: 'role_changed', accountId: id, detail: { role: 'ADMIN' } });
    return true;
  });
  if (isAdmin) log.info({ accountId: id }, 'the account of DEFAULT_SUPERADMIN_EMAIL is an admin now');
  return isAdmin;
}

/** Renames the account of somebody who signed up with the address and never proved it. Always false: the admin is still missing. */
async function takeAddressBack({ db, jobs, log }: Context, { id, email }: CredentialsRow): Promise<false> {
  const isRenamed = await db.transaction(async (tx) => {
    if (!(await updateToNoAddress(tx, id, email))) return false;
    for (const kind of ['verify', 'reset'] as const) await endMailTokens(tx, id, kind);
    await withdrawMails(tx, jobs, { address: email });
    await recordAction(tx, { action: 'address_taken_back', accountId: id });
    return true;
  });
  if (isRenamed) {
    log.warn({ accountId: id }, 'an account that never proved the address of DEFAULT_SUPERADMIN_EMAIL was renamed');
  }
  return false;
}

async function create({ db, log, passwords }: Context, { email, password }: Superadmin): Promise<boolean> {
  const passwordHash = await passwords.hash(password);
  const row = await db.transaction(async (tx) => {
    const made = await insertAccount(tx, {
      email,
      passwordHash,
      firstName: 'Super',
      lastName: 'Admin',
      role: 'ADMIN',
      emailVerified: true,
      emailVerificationWaived: false,
    });
    if (made) await recordAction(tx, { action: 'signed_up', accountId: made.id, detail: { role: 'ADMIN' } });
    return made;
  });
  if (row !== undefined) log.info({ accountId: row.id }, 'superadmin created');
  return row !== undefined;
}

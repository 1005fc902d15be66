import type { Context } from './context.ts';
import { insertAccount, promoteVerified } from './store/accounts.ts';

/**
 * Sees to the account that DEFAULT_SUPERADMIN_EMAIL names: made if it is absent, an ADMIN if its address is proven. Its
 * password is never rewritten. Replicas that start together agree, because both steps are single statements.
 *
 * An address without proof is not promoted: whoever signed up first may not be its owner.
 */
export async function ensureSuperadmin(context: Context): Promise<void> {
  const { DEFAULT_SUPERADMIN_EMAIL: email, DEFAULT_SUPERADMIN_PASSWORD: password } = context.config;
  if (email === undefined || (await promoteVerified(context.db, email))) return;
  if (password === undefined) {
    context.log.warn(
      'DEFAULT_SUPERADMIN_EMAIL names no proven account and DEFAULT_SUPERADMIN_PASSWORD is unset: no admin made',
    );
    return;
  }
  if (await createSuperadmin(context, email, password)) return;
  // A replica that started at the same time may have made it between the two statements.
  if (await promoteVerified(context.db, email)) return;
  context.log.warn(
    'the account of DEFAULT_SUPERADMIN_EMAIL was made by sign-up and its address is unproven: not promoted',
  );
}

async function createSuperadmin({ db, log, passwords }: Context, email: string, password: string): Promise<boolean> {
  const row = await insertAccount(db, {
    email,
    passwordHash: await passwords.hash(password),
    firstName: 'Super',
    lastName: 'Admin',
    role: 'ADMIN',
    emailVerified: true,
    emailVerificationWaived: false,
  });
  if (row !== undefined) log.info({ accountId: row.id }, 'superadmin made');
  return row !== undefined;
}

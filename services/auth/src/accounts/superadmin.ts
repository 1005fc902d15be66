import type { Context } from '../context.ts';
import { insertAccount, promoteVerified } from '../store/accounts.ts';
import { recordAction } from '../store/audit.ts';

/**
 * Sees to the account that DEFAULT_SUPERADMIN_EMAIL names: made if it is absent, an ADMIN if its address is proven. Its
 * password is never rewritten. Replicas that start together agree, because both steps are single statements.
 *
 * An address without proof is not promoted: whoever signed up first may not be its owner.
 */
export async function ensureSuperadmin(context: Context): Promise<void> {
  const { DEFAULT_SUPERADMIN_EMAIL: email, DEFAULT_SUPERADMIN_PASSWORD: password } = context.config;
  if (email === undefined || (await promote(context, email))) return;
  if (password === undefined) {
    context.log.warn(
      'DEFAULT_SUPERADMIN_EMAIL names no proven account and DEFAULT_SUPERADMIN_PASSWORD is unset: no admin made',
    );
    return;
  }
  if (await createSuperadmin(context, email, password)) return;
  // A replica that started at the same time may have made it between the two statements.
  if (await promote(context, email)) return;
  context.log.warn(
    'the account of DEFAULT_SUPERADMIN_EMAIL was made by sign-up and its address is unproven: not promoted',
  );
}

/** Answers whether there is an ADMIN of that address now. */
export function promote({ db, log }: Context, email: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    const promotion = await promoteVerified(tx, email);
    if (promotion?.promoted) {
      await recordAction(tx, { action: 'role_changed', accountId: promotion.id, detail: { role: 'ADMIN' } });
      log.info({ accountId: promotion.id }, 'the account of DEFAULT_SUPERADMIN_EMAIL is an admin now');
    }
    return promotion !== undefined;
  });
}

async function createSuperadmin({ db, log, passwords }: Context, email: string, password: string): Promise<boolean> {
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
  if (row !== undefined) log.info({ accountId: row.id }, 'superadmin made');
  return row !== undefined;
}

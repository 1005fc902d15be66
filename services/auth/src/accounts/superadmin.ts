import type { Context } from '../context.ts';
import { insertAccount, promoteVerified } from '../store/accounts.ts';
import { recordAction } from '../store/audit.ts';

/**
 * Makes sure that the account of DEFAULT_SUPERADMIN_EMAIL exists and is an ADMIN. An existing account becomes an ADMIN only if its address
 * is proven, because anybody may have signed up with it. Its password is never changed. Replicas may do this at the same time: each step
 * is one statement.
 */
export async function ensureSuperadmin(context: Context): Promise<void> {
  const { DEFAULT_SUPERADMIN_EMAIL: email, DEFAULT_SUPERADMIN_PASSWORD: password } = context.config;
  if (email === undefined || (await promote(context, email))) return;
  if (password === undefined) {
    context.log.warn(
      'DEFAULT_SUPERADMIN_EMAIL has no account with a proven address, and DEFAULT_SUPERADMIN_PASSWORD is not set: no admin was created',
    );
    return;
  }
  if (await createSuperadmin(context, email, password)) return;
  // Another replica may have created it meanwhile.
  if (await promote(context, email)) return;
  context.log.warn(
    'the account of DEFAULT_SUPERADMIN_EMAIL was created by sign-up and its address is not proven: it was not promoted to ADMIN',
  );
}

/** Makes the account with this address an ADMIN if the address is proven. Whether there is such an ADMIN now. */
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
  if (row !== undefined) log.info({ accountId: row.id }, 'superadmin created');
  return row !== undefined;
}

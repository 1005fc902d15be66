import { accountMessage } from '../../accounts/account-message.ts';
import { findActor } from '../../accounts/permitted-account.ts';
import type { Context } from '../../context.ts';
import { notEnoughPermissions } from '../../errors.ts';
import { selectAccounts } from '../../store/accounts.ts';
import type { Handlers } from '../handlers.ts';

const maxSize = 100;

export function listAccounts({ db }: Context): Handlers['listAccounts'] {
  return async ({ actorId, page, size }) => {
    const actor = await findActor(db, actorId);
    if (actor.role !== 'ADMIN') throw notEnoughPermissions();
    const limit = Math.min(Math.max(size, 1), maxSize);
    const { rows, total } = await selectAccounts(db, { offset: (Math.max(page, 1) - 1) * limit, limit });
    return { accounts: rows.map(accountMessage), total };
  };
}

import { accountMessage } from '../account-message.ts';
import type { Context } from '../context.ts';
import { notEnoughPermissions } from '../errors.ts';
import { findActor } from '../permitted-account.ts';
import { listAccounts as listRows } from '../store/accounts.ts';
import type { AuthRpc } from './index.ts';

const maxSize = 100;

export function listAccounts({ db }: Context): AuthRpc['listAccounts'] {
  return async ({ actorId, page, size }) => {
    const actor = await findActor(db, actorId);
    if (actor?.role !== 'ADMIN') throw notEnoughPermissions();
    const limit = Math.min(Math.max(size, 1), maxSize);
    const { rows, total } = await listRows(db, { offset: (Math.max(page, 1) - 1) * limit, limit });
    return { accounts: rows.map(accountMessage), total };
  };
}

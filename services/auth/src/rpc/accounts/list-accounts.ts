import { accountMessage } from '../../accounts/account-message.ts';
import { findActor } from '../../accounts/permitted-account.ts';
import type { Context } from '../../context.ts';
import { notEnoughPermissions } from '../../errors.ts';
import { selectAccounts } from '../../store/accounts.ts';
import type { Handlers } from '../handlers.ts';

const maxSize = 100;

export function listAccounts({ db }: Context): Handlers['listAccounts'] {
  return async ({ actorId, page, size, afterUserId }) => {
    const actor = await findActor(db, actorId);
    if (actor.role !== 'ADMIN') throw notEnoughPermissions();
    const limit = Math.min(Math.max(size, 1), maxSize);
    const offset = afterUserId === undefined ? (Math.max(page, 1) - 1) * limit : 0;
    const { rows, total } = await selectAccounts(db, { after: afterUserId ?? 0n, offset, limit: limit + 1 });
    return { accounts: rows.slice(0, limit).map(accountMessage), total, more: rows.length > limit };
  };
}

import type { Context } from '../context.ts';
import { readAccountChanges } from '../store/account-changes.ts';
import type { AuthRpc } from './index.ts';

/** Who has fallen behind further does better to forget everything. */
const maxListed = 5_000;
/** After every transaction there will ever be. */
const never = 2n ** 63n - 1n;

export function listChangedAccounts({ db }: Context): AuthRpc['listChangedAccounts'] {
  return async (request) => {
    const changes = await readAccountChanges(db, { cursor: request.cursor ?? never, limit: maxListed + 1 });
    const truncated = changes.account_ids.length > maxListed;
    return { cursor: changes.cursor, accountIds: truncated ? [] : changes.account_ids, truncated };
  };
}

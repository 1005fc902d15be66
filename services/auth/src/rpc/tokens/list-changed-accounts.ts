import type { Context } from '../../context.ts';
import { readAccountChanges } from '../../store/account-changes.ts';
import type { Handlers } from '../handlers.ts';

/** Who has fallen behind further does better to forget everything. */
const maxListed = 5_000;
/** After every transaction there will ever be. */
const never = 2n ** 63n - 1n;

export function listChangedAccounts({ db }: Context): Handlers['listChangedAccounts'] {
  return async (request) => {
    const asked = { cursor: request.cursor ?? never, limit: maxListed + 1 };
    const { cursor, accounts } = await readAccountChanges(db, asked);
    if (accounts.length > maxListed) return { cursor, truncated: true };
    const accountIds = accounts.map(({ accountId }) => accountId);
    return { cursor, accountIds, fingerprints: accounts.map(({ fingerprint }) => fingerprint) };
  };
}

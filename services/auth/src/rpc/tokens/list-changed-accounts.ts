import type { Context } from '../../context.ts';
import { selectAccountChanges } from '../../store/account-changes.ts';
import type { Handlers } from '../handlers.ts';

/** A gateway that has missed more changes is told to drop everything it has cached. */
const maxListed = 5_000;
/** Higher than any transaction id: with this cursor no changes are listed. */
const never = 2n ** 63n - 1n;

export function listChangedAccounts({ db }: Context): Handlers['listChangedAccounts'] {
  return async (request) => {
    const asked = { cursor: request.cursor ?? never, limit: maxListed + 1 };
    const { cursor, accounts } = await selectAccountChanges(db, asked);
    if (accounts.length > maxListed) return { cursor, truncated: true };
    const accountIds = accounts.map(({ accountId }) => accountId);
    return { cursor, accountIds, fingerprints: accounts.map(({ fingerprint }) => fingerprint) };
  };
}

import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../context.ts';
import { keyAddressMismatch, keyNeedsReentry, keyNotFound } from '../../errors.ts';
import { selectKey } from '../../store/saved-keys.ts';
import type { Handlers } from './handlers.ts';

/** Returns the secret of a saved key for the server that it was saved for. */
export function openToolKey({ db, vault }: Context): Handlers['openToolKey'] {
  return async ({ accountId: account, keyId, url }) => {
    const accountId = checkAccountId(account);
    const [row] = await selectKey(db, { accountId, keyId, kind: 'saved' });
    if (row === undefined) throw keyNotFound();
    const origin = URL.parse(row.model_api_base)?.origin;
    if (origin === undefined || origin !== URL.parse(url)?.origin) throw keyAddressMismatch();
    const secret = await vault.open(row.secret, { accountId, keyId });
    if (secret === undefined) throw keyNeedsReentry();
    return { secret };
  };
}

import { parseAccountId } from '../account-id.ts';
import { accountMessage } from '../account-message.ts';
import type { Context } from '../context.ts';
import { accountNotFound } from '../errors.ts';
import { findPermitted } from '../permitted-account.ts';
import { checkProfile } from '../profile.ts';
import { updateProfile } from '../store/accounts.ts';
import { recordAction } from '../store/audit.ts';
import type { AuthRpc } from './index.ts';

export function updateAccount({ db }: Context): AuthRpc['updateAccount'] {
  return async (request) => {
    const { id } = await findPermitted(db, request, 'Not authorized');
    const actorId = parseAccountId(request.actorId);
    const { firstName, lastName, username, fullName, onboardingCompleted } = request;
    const change = checkProfile({ firstName, lastName, username, fullName });
    const row = await db.transaction(async (tx) => {
      const changed = await updateProfile(tx, id, { ...change, onboardingCompleted });
      if (changed === undefined) throw accountNotFound();
      await recordAction(tx, { action: 'profile_changed', accountId: id, actorId });
      return changed;
    });
    return { account: accountMessage(row) };
  };
}

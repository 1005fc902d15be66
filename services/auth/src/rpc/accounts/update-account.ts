import { accountMessage } from '../../accounts/account-message.ts';
import { parseId } from '../../accounts/parse-id.ts';
import { findPermitted } from '../../accounts/permitted-account.ts';
import { checkProfile } from '../../accounts/profile.ts';
import type { Context } from '../../context.ts';
import { accountNotFound } from '../../errors.ts';
import { updateProfile } from '../../store/accounts.ts';
import { recordAction } from '../../store/audit.ts';
import type { Handlers } from '../handlers.ts';

export function updateAccount({ db }: Context): Handlers['updateAccount'] {
  return async (request) => {
    const { id } = await findPermitted(db, request, 'Not authorized');
    const actorId = parseId(request.actorId);
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

import { accountMessage } from '../account-message.ts';
import type { Context } from '../context.ts';
import { accountNotFound } from '../errors.ts';
import { findPermitted } from '../permitted-account.ts';
import { checkProfile } from '../profile.ts';
import { updateProfile } from '../store/accounts.ts';
import type { AuthRpc } from './index.ts';

export function updateAccount({ db }: Context): AuthRpc['updateAccount'] {
  return async (request) => {
    const { id } = await findPermitted(db, request, 'Not authorized');
    const { firstName, lastName, username, fullName, onboardingCompleted } = request;
    const change = checkProfile({ firstName, lastName, username, fullName });
    const row = await updateProfile(db, id, { ...change, onboardingCompleted });
    if (row === undefined) throw accountNotFound();
    return { account: accountMessage(row) };
  };
}

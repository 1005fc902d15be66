import type { SignUpRequest } from '@agentmesh/proto/auth/v1';
import { accountMessage } from '../account-message.ts';
import type { Context } from '../context.ts';
import { normalizeEmailAddress } from '../email-address.ts';
import { emailInUse, registrationDisabled } from '../errors.ts';
import { checkNewPassword } from '../password.ts';
import type { NewAccount } from '../store/accounts.ts';
import { insertAccount } from '../store/accounts.ts';
import { checkText } from '../text.ts';
import type { AuthRpc } from './index.ts';

const maxNameLength = 256;
const maxUrlLength = 2_048;

export function signUp({ config, db, passwords }: Context): AuthRpc['signUp'] {
  return async (request, { signal }) => {
    if (!config.AUTH_REGISTER_ENABLED || !config.AUTH_BASIC_ENABLED) throw registrationDisabled();
    const profile = checkProfile(request);
    if (request.password !== '') checkNewPassword(request.password);

    const row = await insertAccount(db, {
      ...profile,
      passwordHash: request.password === '' ? undefined : await passwords.hash(request.password, signal),
      role: 'USER',
      emailVerified: false,
      emailVerificationWaived: !config.AUTH_EMAIL_VERIFICATION_REQUIRED,
    });
    if (row === undefined) throw emailInUse();
    return { account: accountMessage(row) };
  };
}

type Profile = Pick<NewAccount, 'email' | 'firstName' | 'lastName' | 'username' | 'fullName' | 'avatarUrl'>;

function checkProfile({ email, firstName, lastName, username, fullName, avatarUrl }: SignUpRequest): Profile {
  return {
    email: normalizeEmailAddress(email),
    firstName: checkText('first_name', firstName, maxNameLength),
    lastName: checkText('last_name', lastName, maxNameLength),
    username: username && checkText('username', username, maxNameLength),
    fullName: fullName && checkText('full_name', fullName, maxNameLength),
    avatarUrl: avatarUrl && checkText('avatar_url', avatarUrl, maxUrlLength),
  };
}

import type { Context } from '../context.ts';
import { findEmailAddress } from '../email-address.ts';
import { basicAuthDisabled, emailNotVerified, invalidCredentials } from '../errors.ts';
import { isPossiblePassword } from '../password.ts';
import type { CredentialsRow } from '../store/accounts.ts';
import { findCredentials, replacePasswordHash } from '../store/accounts.ts';
import type { AuthRpc } from './index.ts';

export function signIn(context: Context): AuthRpc['signIn'] {
  const { config, accessTokens } = context;
  return async (request, { signal }) => {
    if (!config.AUTH_BASIC_ENABLED) throw basicAuthDisabled();
    const account = await checkCredentials(context, request, signal);
    if (account === undefined) throw invalidCredentials();
    if (config.AUTH_EMAIL_VERIFICATION_REQUIRED && account.verification_owed) throw emailNotVerified();
    return { accessToken: await accessTokens.issue(account) };
  };
}

/** One look-up and one hash whoever is asked for, so that time tells nothing; a better hash is made only after a match. */
async function checkCredentials(
  { db, passwords }: Context,
  { email, password }: { readonly email: string; readonly password: string },
  signal: AbortSignal,
): Promise<CredentialsRow | undefined> {
  const address = findEmailAddress(email);
  if (address === undefined || !isPossiblePassword(password)) return undefined;

  const account = await findCredentials(db, address);
  const stored = account?.password_hash ?? undefined;
  const { matches, outdated } = await passwords.verify(password, stored, signal);
  if (!matches || account === undefined || stored === undefined) return undefined;

  if (outdated) {
    await replacePasswordHash(db, { id: account.id, from: stored, to: await passwords.hash(password, signal) });
  }
  return account;
}

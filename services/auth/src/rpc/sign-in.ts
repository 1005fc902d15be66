import type { Context } from '../context.ts';
import { deviceOf } from '../device.ts';
import { findEmailAddress } from '../email-address.ts';
import { basicAuthDisabled, emailNotVerified, invalidCredentials } from '../errors.ts';
import { isPossiblePassword } from '../password.ts';
import { formatRefreshToken, hashOf, mintRefreshToken } from '../refresh-token.ts';
import { refreshLifeSeconds } from '../refresh-life.ts';
import type { CredentialsRow } from '../store/accounts.ts';
import { findCredentials, replacePasswordHash } from '../store/accounts.ts';
import { type Device, insertSignIn } from '../store/sign-ins.ts';
import type { AuthRpc } from './index.ts';

/** A hash may be replaced by another sign-in while one is checked: once by an upgrade, and hardly ever again. */
const attempts = 3;

export function signIn(context: Context): AuthRpc['signIn'] {
  const { config, accessTokens } = context;
  return async (request, { signal }) => {
    if (!config.AUTH_BASIC_ENABLED) throw basicAuthDisabled();
    const device = deviceOf(request.device);
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const account = await checkCredentials(context, request, signal);
      if (account === undefined) break;
      if (config.AUTH_EMAIL_VERIFICATION_REQUIRED && account.verification_owed) throw emailNotVerified();
      const begun = await begin(context, account, device);
      if (begun === undefined) continue;
      await upgrade(context, { ...account, password: request.password }, signal);
      const { signInId, refreshToken } = begun;
      return { accessToken: await accessTokens.issue({ ...account, signInId }), refreshToken };
    }
    throw invalidCredentials();
  };
}

type Checked = CredentialsRow & { readonly password_hash: string; readonly outdated: boolean };

/** One look-up and one hash whoever is asked for, so that time tells nothing. */
async function checkCredentials(
  { db, passwords }: Context,
  { email, password }: { readonly email: string; readonly password: string },
  signal: AbortSignal,
): Promise<Checked | undefined> {
  const address = findEmailAddress(email);
  if (address === undefined || !isPossiblePassword(password)) return undefined;

  const account = await findCredentials(db, address);
  const stored = account?.password_hash ?? undefined;
  const { matches, outdated } = await passwords.verify(password, stored, signal);
  if (!matches || account === undefined || stored === undefined) return undefined;
  return { ...account, password_hash: stored, outdated };
}

/** Undefined when the password was changed since it was checked. */
async function begin({ config, db }: Context, account: Checked, device: Device) {
  const token = mintRefreshToken();
  const lifeSeconds = refreshLifeSeconds(config);
  const signInId = await insertSignIn(db, {
    accountId: account.id,
    passwordHash: account.password_hash,
    familyHash: hashOf(token.family),
    currentHash: hashOf(token.secret),
    device,
    lifeSeconds,
  });
  if (signInId === undefined) return undefined;
  return { signInId, refreshToken: { value: formatRefreshToken(token), maxAgeSeconds: BigInt(lifeSeconds) } };
}

/** A better hash is made only after a match. */
async function upgrade(
  { db, passwords }: Context,
  account: Checked & { readonly password: string },
  signal: AbortSignal,
): Promise<void> {
  if (!account.outdated) return;
  const to = await passwords.hash(account.password, signal);
  await replacePasswordHash(db, { id: account.id, from: account.password_hash, to });
}

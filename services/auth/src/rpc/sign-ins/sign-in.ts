import { findEmailAddress } from '../../email-address.ts';
import type { Context } from '../../context.ts';
import { basicAuthDisabled, emailNotVerified, invalidCredentials } from '../../errors.ts';
import { isPossiblePassword } from '../../passwords/password.ts';
import { deviceOf } from '../../sign-ins/device.ts';
import { refreshLifeSeconds } from '../../sign-ins/refresh-life.ts';
import { type CredentialsRow, findCredentials, replacePasswordHash } from '../../store/accounts.ts';
import { recordAction } from '../../store/audit.ts';
import { type Device, insertSignIn } from '../../store/sign-ins.ts';
import { formatRefreshToken, hashOf, mintRefreshToken } from '../../tokens/refresh-token.ts';
import type { Handlers } from '../handlers.ts';

/** A concurrent sign-in may replace the stored hash by one of a higher cost. Then the password is checked again. */
const attempts = 3;

export function signIn(context: Context): Handlers['signIn'] {
  const { config, accessTokens } = context;
  return async (request, { signal }) => {
    if (!config.AUTH_BASIC_ENABLED) throw basicAuthDisabled();
    const device = deviceOf(request.device);
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const account = await checkCredentials(context, request, signal);
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

/** Does one look-up and one hash, and on failure one record, for every address: the time tells nothing about the account. */
async function checkCredentials(
  { db, failures, passwords }: Context,
  { email, password }: { readonly email: string; readonly password: string },
  signal: AbortSignal,
): Promise<Checked> {
  const address = findEmailAddress(email);
  if (address === undefined || !isPossiblePassword(password)) throw invalidCredentials();

  const account = await findCredentials(db, address);
  const stored = account?.password_hash ?? undefined;
  const { matches, outdated } = await passwords.verify(password, stored, signal);
  if (matches && account !== undefined && stored !== undefined) return { ...account, password_hash: stored, outdated };
  const unrecorded = failures.admit(address);
  if (unrecorded !== undefined) {
    const detail = unrecorded === 0 ? {} : { unrecorded };
    await recordAction(db, { action: 'sign_in_failed', accountId: account?.id, detail });
  }
  throw invalidCredentials();
}

/** Begins the sign-in. Undefined when the password was changed since it was checked. */
async function begin({ config, db }: Context, account: Checked, device: Device) {
  const { id: accountId, password_hash: passwordHash } = account;
  const token = mintRefreshToken();
  const lifeSeconds = refreshLifeSeconds(config);
  const hashes = { familyHash: hashOf(token.family), currentHash: hashOf(token.secret) };
  const signInId = await db.transaction(async (tx) => {
    const id = await insertSignIn(tx, { accountId, passwordHash, ...hashes, device, lifeSeconds });
    if (id !== undefined) {
      await recordAction(tx, { action: 'signed_in', accountId, actorId: accountId, detail: { sign_in_id: id } });
    }
    return id;
  });
  if (signInId === undefined) return undefined;
  return { signInId, refreshToken: { value: formatRefreshToken(token), maxAgeSeconds: BigInt(lifeSeconds) } };
}

/** Replaces a stored hash of a lower cost. Only after a match: this is when the password is known. */
async function upgrade(
  { db, passwords }: Context,
  account: Checked & { readonly password: string },
  signal: AbortSignal,
): Promise<void> {
  if (!account.outdated) return;
  const to = await passwords.hash(account.password, { signal });
  await replacePasswordHash(db, { id: account.id, from: account.password_hash, to });
}

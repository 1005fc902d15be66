import type { Context } from '../../context.ts';
import { refreshTokenInvalid, refreshUnverified, sessionRevoked } from '../../errors.ts';
import { deviceOf } from '../../sign-ins/device.ts';
import { endFamily } from '../../sign-ins/end-family.ts';
import { refreshLifeSeconds } from '../../sign-ins/refresh-life.ts';
import { type Device, findFamily, rotateSignIn, type SignInOwner } from '../../store/sign-ins.ts';
import {
  formatRefreshToken,
  freshSalt,
  hashOf,
  parseRefreshToken,
  type RefreshToken,
  successorOf,
} from '../../tokens/refresh-token.ts';
import type { Handlers } from '../handlers.ts';

/** Between the rotation and the look-up another request may change the row; then both are done again. */
const attempts = 5;

export function refresh(context: Context): Handlers['refresh'] {
  return async (request) => {
    const shown = parseRefreshToken(request.refreshToken);
    if (shown === undefined) throw refreshTokenInvalid();
    const { owner, successor } = await succeed(context, shown, deviceOf(request.device));
    const accessToken = await context.accessTokens.issue({
      id: owner.account_id,
      email: owner.email,
      role: owner.role,
      signInId: owner.sign_in_id,
      isFromCookie: true,
    });
    const maxAgeSeconds = BigInt(refreshLifeSeconds(context.config));
    return { accessToken, refreshToken: { value: formatRefreshToken(successor), maxAgeSeconds } };
  };
}

interface Succession {
  readonly owner: SignInOwner;
  readonly successor: RefreshToken;
}

async function succeed(context: Context, shown: RefreshToken, device: Device): Promise<Succession> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const succession = (await rotateNewest(context, shown, device)) ?? (await repeatSuccessor(context, shown));
    if (succession !== undefined) return succession;
  }
  throw new Error('a refresh token was the newest and could not be rotated');
}

async function rotateNewest({ config, db }: Context, shown: RefreshToken, device: Device) {
  const salt = freshSalt();
  const successor = successorOf(shown, salt);
  const owner = await rotateSignIn(db, {
    familyHash: hashOf(shown.family),
    shownHash: hashOf(shown.secret),
    successorHash: hashOf(successor.secret),
    salt,
    device,
    lifeSeconds: refreshLifeSeconds(config),
    verificationRequired: config.AUTH_EMAIL_VERIFICATION_REQUIRED,
  });
  return owner === undefined ? undefined : { owner, successor };
}

/** Returns the same successor for the parent of the newest token, and undefined for the newest. Throws for every older token. */
async function repeatSuccessor(context: Context, shown: RefreshToken): Promise<Succession | undefined> {
  const { config, db } = context;
  const family = await findFamily(db, { familyHash: hashOf(shown.family), shownHash: hashOf(shown.secret) });
  if (family === undefined || family.expired) throw refreshTokenInvalid();
  if (family.ended) throw sessionRevoked();
  if (config.AUTH_EMAIL_VERIFICATION_REQUIRED && family.verification_owed) throw refreshUnverified();
  if (family.is_current) return undefined;
  if (!family.is_recent_parent || family.successor_salt === null) return endReused(context, shown);
  return { owner: family, successor: successorOf(shown, family.successor_salt) };
}

/** An old token means that two parties have it, and one of them may have stolen it. The sign-in ends for both. */
async function endReused(context: Context, shown: RefreshToken): Promise<never> {
  const ended = await endFamily(context, shown, 'refresh_token_reused');
  if (ended !== undefined) {
    const { account_id: accountId, id: signInId } = ended;
    context.log.warn({ accountId, signInId }, 'a used refresh token was sent again: the sign-in has ended');
  }
  throw sessionRevoked();
}

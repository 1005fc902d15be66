import type { AccessToken, TokenReader } from './access-token.ts';
import type { Directory } from './directory.ts';
import type { Identity } from './identity.ts';
import { isPersonal, type PersonalToken } from './personal-tokens.ts';
import { type Standing, standingKey } from './standings.ts';
import { invalidToken, notAuthenticated, revokedSession, unknownAccount } from './unauthorized.ts';

export interface Bearer {
  /** Whom an `Authorization` header names; at once when token and account are known. Fails with 401. */
  identify(authorization: string | undefined): Identity | Promise<Identity>;
  /** Whom a token names that was carried in another way. */
  identifyToken(token: string): Identity | Promise<Identity>;
}

export interface BearerSources {
  readonly tokens: TokenReader;
  readonly standings: Directory<Standing>;
  /** Absent where tokens for programs are not accepted. */
  readonly personalTokens?: Directory<PersonalToken>;
}

const scheme = /^bearer +([^ ]+) *$/i;

export function createBearer({ tokens, standings, personalTokens }: BearerSources): Bearer {
  const owner = (token: AccessToken) =>
    then(standings.find(standingKey(token.accountId, token.signInId)), (standing) => admit(token, standing));
  const identifyToken = (token: string) =>
    personalTokens !== undefined && isPersonal(token)
      ? then(personalTokens.find(token), admitPersonal)
      : then(tokens.read(token), owner);
  return {
    identify(authorization) {
      const token = scheme.exec(authorization ?? '')?.[1];
      if (token === undefined) throw notAuthenticated();
      return identifyToken(token);
    },
    identifyToken,
  };
}

/** Waits only for what is not there yet. */
function then<A, B>(value: A | Promise<A>, use: (value: A) => B | Promise<B>): B | Promise<B> {
  return value instanceof Promise ? value.then(use) : use(value);
}

/** A token whose id and address name different accounts names none; one whose sign-in has ended has ended with it. */
function admit({ accountId, email, signInId, issuedAt }: AccessToken, standing: Standing): Identity {
  if (standing.email !== email) throw unknownAccount();
  const stands = signInId === undefined ? issuedAt >= standing.validFrom : standing.signInStands;
  if (!stands) throw revokedSession();
  return { accountId, email, role: standing.role, signInId, grant: undefined };
}

/** Whoever's it is, a token for programs is no admin. */
function admitPersonal({ accountId, email, expiresAtMs, grant }: PersonalToken): Identity {
  if (expiresAtMs <= Date.now()) throw invalidToken();
  return { accountId, email, role: 'USER', signInId: undefined, grant };
}

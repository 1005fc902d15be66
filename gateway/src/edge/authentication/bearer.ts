import type { AccessToken, TokenReader } from './access-token.ts';
import type { Directory } from './directory.ts';
import { anonymous, type Identity } from './identity.ts';
import { isPersonal, type PersonalToken } from './personal-tokens.ts';
import { type Standing, standingKey } from './standings.ts';
import { invalidToken, noScheme, notAuthenticated, revokedSession, unknownAccount } from './unauthorized.ts';

export interface Bearer {
  /** Identity behind an `Authorization` header. Synchronous when token and account are cached. Fails with 401. */
  identify(authorization: string | undefined): Identity | Promise<Identity>;
  /** Identity behind a token that did not come in the `Authorization` header. */
  identifyToken(token: string): Identity | Promise<Identity>;
  /** Fails with 401 when the credential of an identity was revoked. One whose time is over is not. */
  recheck(identity: Identity): Promise<void>;
}

export interface BearerSources {
  readonly tokens: TokenReader;
  readonly standings: Directory<Standing>;
  /** Undefined where personal tokens are not accepted. */
  readonly personalTokens?: Directory<PersonalToken>;
}

const scheme = /^bearer +([^ ]+) *$/i;
/** A token alone. */
const bare = /^[^ ]{20,}$/;

export function createBearer({ tokens, standings, personalTokens }: BearerSources): Bearer {
  const owner = (token: AccessToken) =>
    whenKnown(standings.find(standingKey(token.accountId, token.signInId)), (standing) => admit(token, standing));
  const identifyToken = (token: string) =>
    personalTokens !== undefined && isPersonal(token)
      ? whenKnown(personalTokens.find(token), admitPersonal)
      : whenKnown(tokens.read(token), owner);
  return {
    identify(authorization) {
      const token = scheme.exec(authorization ?? '')?.[1];
      if (token === undefined)
        throw authorization !== undefined && bare.test(authorization) ? noScheme() : notAuthenticated();
      return identifyToken(token);
    },
    identifyToken,
    async recheck(identity) {
      const { accountId, signInId, grant } = identity;
      if (accountId === anonymous.accountId) return;
      if (grant?.token !== undefined) await personalTokens?.find(grant.token.hash);
      else checkStanding(identity, await standings.find(standingKey(accountId, signInId)));
    },
  };
}

/** Applies `use` to a value: synchronously if the value is cached, else when it has arrived. */
function whenKnown<A, B>(value: A | Promise<A>, use: (value: A) => B | Promise<B>): B | Promise<B> {
  return value instanceof Promise ? value.then(use) : use(value);
}

function admit(token: AccessToken, standing: Standing): Identity {
  checkStanding(token, standing);
  const { accountId, email, signInId, isFromCookie, issuedAt } = token;
  return { accountId, email, role: standing.role, signInId, issuedAt, isFromCookie, grant: undefined };
}

type Issued = Pick<Identity, 'email' | 'signInId' | 'issuedAt'>;

/** Fails with 401 if id and e-mail address belong to different accounts, or if the sign-in has ended. */
function checkStanding({ email, signInId, issuedAt = 0 }: Issued, standing: Standing): void {
  if (standing.email !== email) throw unknownAccount();
  const stands = signInId === undefined ? issuedAt >= standing.validFrom : standing.signInStands;
  if (!stands) throw revokedSession();
}

/** A personal token never has the role of an admin, also if its account has. */
export function admitPersonal({ accountId, email, expiresAtMs, grant }: PersonalToken): Identity {
  if (expiresAtMs <= Date.now()) throw invalidToken();
  return { accountId, email, role: 'USER', signInId: undefined, issuedAt: undefined, isFromCookie: false, grant };
}

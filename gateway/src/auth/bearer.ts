import type { AccountDirectory, Standing } from './account-directory.ts';
import type { AccessToken, TokenReader } from './access-token.ts';
import type { Identity } from './identity.ts';
import { notAuthenticated, revokedSession, unknownAccount } from './unauthorized.ts';

export interface Bearer {
  /** Whom an `Authorization` header names; at once when token and account are known. Fails with 401. */
  identify(authorization: string | undefined): Identity | Promise<Identity>;
  /** Whom a token names that was carried in another way. */
  identifyToken(token: string): Identity | Promise<Identity>;
}

const scheme = /^bearer +([^ ]+) *$/i;

export function createBearer(tokens: TokenReader, accounts: AccountDirectory): Bearer {
  const owner = (token: AccessToken) => {
    const found = accounts.find(token.accountId, token.signInId);
    return found instanceof Promise ? found.then((standing) => admit(token, standing)) : admit(token, found);
  };
  const identifyToken = (token: string) => {
    const read = tokens.read(token);
    return read instanceof Promise ? read.then(owner) : owner(read);
  };
  return {
    identify(authorization) {
      const token = scheme.exec(authorization ?? '')?.[1];
      if (token === undefined) throw notAuthenticated();
      return identifyToken(token);
    },
    identifyToken,
  };
}

/** A token whose id and address name different accounts names none; one whose sign-in has ended has ended with it. */
function admit({ accountId, email, signInId, issuedAt }: AccessToken, standing: Standing): Identity {
  if (standing.email !== email) throw unknownAccount();
  const stands = signInId === undefined ? issuedAt >= standing.validFrom : standing.signInStands;
  if (!stands) throw revokedSession();
  return { accountId, email, role: standing.role, signInId };
}

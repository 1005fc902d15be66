import { hkdfSync, webcrypto } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import type { AccessToken } from './access-token.ts';
import { createBearer } from './bearer.ts';
import type { Directory } from './directory.ts';
import { anonymous, type Identity } from './identity.ts';
import type { Standing } from './standings.ts';
import { invalidToken } from './unauthorized.ts';

/** Lifetime of a ticket. */
export const ticketSeconds = 600;

/** A ticket opens the event stream of one run, for EventSources, which can send no header. */
export interface RunTickets {
  issue(identity: Identity, invocationId: string): Promise<{ readonly ticket: string; readonly expireTime: number }>;
  /** The identity of the one who got the ticket, limited to reading runs. Rejects with 401 unless the ticket is for this run and the sign-in stands. */
  identify(ticket: string, invocationId: string): Promise<Identity>;
}

export interface RunTicketOptions {
  readonly encryptKey: string;
  readonly standings: Directory<Standing>;
}

/** Tickets are signed with a key of their own, so a ticket is never accepted as another token, nor the other way round. */
export async function createRunTickets({ encryptKey, standings }: RunTicketOptions): Promise<RunTickets> {
  const secret = hkdfSync('sha256', encryptKey, new Uint8Array(0), 'agentmesh run ticket', 32);
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await webcrypto.subtle.importKey('raw', secret, algorithm, false, ['sign', 'verify']);
  return {
    async issue({ accountId, email, signInId, grant }, invocationId) {
      const issuedAt = Math.floor(Date.now() / 1000);
      const expireTime = issuedAt + ticketSeconds;
      const claims = { sub: email, uid: accountId, sid: signInId, run: invocationId, user: grant?.userId };
      const token = new SignJWT(claims).setProtectedHeader({ alg: 'HS256' });
      return { ticket: await token.setIssuedAt(issuedAt).setExpirationTime(expireTime).sign(key), expireTime };
    },
    async identify(ticket, invocationId) {
      const { payload } = await jwtVerify(ticket, key, { algorithms: ['HS256'] }).catch((error: unknown) => {
        throw error instanceof errors.JOSEError ? invalidToken() : error;
      });
      if (payload.run !== invocationId) throw invalidToken();
      const { sub, uid, sid, iat, exp, user } = payload as unknown as Claims;
      const holder = { accountId: uid, email: sub, signInId: sid, isFromCookie: true, issuedAt: iat, expiresAt: exp };
      const identity = uid === anonymous.accountId ? anonymous : await stillStanding(holder, standings);
      return { ...identity, role: 'USER', grant: { scopes: new Set(['runs:read']), userId: user } };
    },
  };
}

/** The claims of a ticket that `issue` has signed. */
interface Claims {
  readonly sub: string;
  readonly uid: string;
  readonly sid: string | undefined;
  readonly iat: number;
  readonly exp: number;
  readonly user: string | undefined;
}

async function stillStanding(holder: AccessToken, standings: Directory<Standing>): Promise<Identity> {
  return createBearer({ tokens: { read: () => holder }, standings }).identifyToken('');
}

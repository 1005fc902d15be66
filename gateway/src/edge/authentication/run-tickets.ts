import { hkdfSync } from 'node:crypto';
import { createKeyRing, type SigningKey } from '@agentmesh/lib/signing';
import { EncryptJWT, errors, jwtDecrypt } from 'jose';
import type { AccessToken } from './access-token.ts';
import { createBearer } from './bearer.ts';
import type { Directory } from './directory.ts';
import { anonymous, type Identity } from './identity.ts';
import type { Standing } from './standings.ts';
import { invalidToken } from './unauthorized.ts';

const algorithms = { alg: 'dir', enc: 'A256GCM' } as const;
const accepted = { keyManagementAlgorithms: [algorithms.alg], contentEncryptionAlgorithms: [algorithms.enc] };

/** Lifetime of a ticket. */
export const ticketSeconds = 600;

/** A ticket opens the event stream of one run, for EventSources, which can send no header. Proxies log it, so it tells them nothing: it is encrypted. */
export interface RunTickets {
  issue(identity: Identity, invocationId: string): Promise<{ readonly ticket: string; readonly expireTime: number }>;
  /** The identity of the one who got the ticket, limited to reading runs. Rejects with 401 unless the ticket is for this run and the sign-in stands. */
  identify(ticket: string, invocationId: string): Promise<Identity>;
}

export interface RunTicketOptions {
  readonly keys: readonly SigningKey[];
  readonly standings: Directory<Standing>;
}

/** Tickets are encrypted with keys that are derived for them alone, so a ticket is never accepted as another token, nor the other way round. */
export async function createRunTickets({ keys, standings }: RunTicketOptions): Promise<RunTickets> {
  const ring = await createKeyRing(keys, derive);
  return {
    async issue({ accountId, email, signInId, grant }, invocationId) {
      const issuedAt = Math.floor(Date.now() / 1000);
      const expireTime = issuedAt + ticketSeconds;
      const claims = { sub: email, uid: accountId, sid: signInId, run: invocationId, user: grant?.userId };
      const token = new EncryptJWT(claims).setProtectedHeader({ ...algorithms, ...ring.header });
      return {
        ticket: await token.setIssuedAt(issuedAt).setExpirationTime(expireTime).encrypt(ring.current),
        expireTime,
      };
    },
    async identify(ticket, invocationId) {
      const { payload } = await jwtDecrypt(
        ticket,
        ({ kid }: { kid?: string }) => ring.find({ kid }) ?? refuse(),
        accepted,
      ).catch((error: unknown) => {
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

function derive(secret: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, new Uint8Array(0), 'agentmesh run ticket', 32));
}

function refuse(): never {
  throw invalidToken();
}

/** The claims of a ticket that `issue` has made. */
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

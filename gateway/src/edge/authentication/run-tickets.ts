import { hkdfSync } from 'node:crypto';
import { createKeyRing, type SigningKey } from '@agentmesh/lib/signing';
import { EncryptJWT, errors, jwtDecrypt } from 'jose';
import { admitPersonal, createBearer } from './bearer.ts';
import type { Directory } from './directory.ts';
import { anonymous, type Identity } from './identity.ts';
import type { PersonalToken } from './personal-tokens.ts';
import type { Standing } from './standings.ts';
import { invalidToken } from './unauthorized.ts';

const algorithms = { alg: 'dir', enc: 'A256GCM' } as const;
const accepted = { keyManagementAlgorithms: [algorithms.alg], contentEncryptionAlgorithms: [algorithms.enc] };

/** Lifetime of a ticket. */
export const ticketSeconds = 600;

/** A ticket opens the event stream of one run, for EventSources, which can send no header. Proxies log it, so it tells them nothing: it is encrypted. */
export interface RunTickets {
  issue(identity: Identity, run: TicketedRun): Promise<{ readonly ticket: string; readonly expireTime: number }>;
  /** The identity of the one who got the ticket, limited to reading runs. Rejects with 401 unless the ticket is for this run, and the sign-in or the personal token that got it stands. */
  identify(ticket: string, run: TicketedRun): Promise<Identity>;
}

/** The run of a ticket, as its address names it. */
interface TicketedRun {
  readonly invocationId: string;
  /** JSON of the query that tells it from others with its id; undefined: the newest. */
  readonly place: string | undefined;
}

/** The run that an address with this path and query names. The query need not be checked yet. */
export function ticketedRun(
  invocationId: string,
  { app, user, session }: { readonly app?: unknown; readonly user?: unknown; readonly session?: unknown },
): TicketedRun {
  const isNewest = app === undefined && user === undefined && session === undefined;
  return { invocationId, place: isNewest ? undefined : JSON.stringify([app ?? '', user ?? '', session ?? '']) };
}

export interface RunTicketOptions {
  readonly keys: readonly SigningKey[];
  readonly standings: Directory<Standing>;
  readonly personalTokens: Directory<PersonalToken>;
}

/** Tickets are encrypted with keys that are derived for them alone, so a ticket is never accepted as another token, nor the other way round. */
export async function createRunTickets({ keys, ...directories }: RunTicketOptions): Promise<RunTickets> {
  const ring = await createKeyRing(keys, derive);
  return {
    async issue({ accountId, email, signInId, grant }, { invocationId: run, place }) {
      const issuedAt = Math.floor(Date.now() / 1000);
      const expireTime = issuedAt + ticketSeconds;
      const { userId: user, token: holder } = grant ?? {};
      const claims = { sub: email, uid: accountId, sid: signInId, pat: holder?.hash, run, place, user };
      const token = new EncryptJWT(claims).setProtectedHeader({ ...algorithms, ...ring.header });
      return {
        ticket: await token.setIssuedAt(issuedAt).setExpirationTime(expireTime).encrypt(ring.current),
        expireTime,
      };
    },
    async identify(ticket, { invocationId, place }) {
      const { payload } = await jwtDecrypt(
        ticket,
        ({ kid }: { kid?: string }) => ring.find({ kid }) ?? refuse(),
        accepted,
      ).catch((error: unknown) => {
        throw error instanceof errors.JOSEError ? invalidToken() : error;
      });
      if (payload.run !== invocationId || payload.place !== place) throw invalidToken();
      const claims = payload as unknown as Claims;
      const identity = await holderOf(claims, directories);
      const grant = { ...identity.grant, scopes: new Set(['runs:read']), userId: claims.user };
      return { ...identity, role: 'USER', grant };
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
  /** Hash of the personal token; undefined for another credential, and in tickets of former processes. */
  readonly pat: string | undefined;
  readonly iat: number;
  readonly exp: number;
  readonly user: string | undefined;
}

type Directories = Pick<RunTicketOptions, 'standings' | 'personalTokens'>;

/** The identity of the one who got the ticket. Rejects with 401 when the credential has ended. */
async function holderOf({ sub, uid, sid, pat, iat, exp }: Claims, directories: Directories): Promise<Identity> {
  if (uid === anonymous.accountId) return anonymous;
  if (pat !== undefined) return admitPersonal(await directories.personalTokens.find(pat));
  const token = { accountId: uid, email: sub, signInId: sid, isFromCookie: true, issuedAt: iat, expiresAt: exp };
  return createBearer({ tokens: { read: () => token }, standings: directories.standings }).identifyToken('');
}

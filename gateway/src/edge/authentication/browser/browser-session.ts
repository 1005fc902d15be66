import { hkdfSync, type webcrypto } from 'node:crypto';
import { createKeyRing, importHmacKey, type SigningKey } from '@agentmesh/lib/signing';
import { parseCookie, type SetCookie, stringifySetCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';
import { decodeJwt, SignJWT } from 'jose';
import { HttpError } from '../../errors/request-error.ts';
import { createOwnOrigin, isFromOwnPage } from '../../origins/same-origin.ts';
import { createTokenReader } from '../access-token.ts';
import { type Bearer, createBearer } from '../bearer.ts';
import type { Directory } from '../directory.ts';
import type { Identity } from '../identity.ts';
import type { Standing } from '../standings.ts';

/**
 * Sign-in of the console and of ADK's web UI: a cookie that only pages of this origin can use. Routes that need the password refuse it. It is
 * signed with a key that is derived for it alone, so a cookie is never accepted as an access token, nor the other way round.
 */
export interface BrowserSession {
  isPresent(request: FastifyRequest): boolean;
  /** Fails with 401 for an expired or invalid cookie, and with 403 if a page of another origin may have sent the request. */
  identify(request: FastifyRequest): Identity | Promise<Identity>;
  /**
   * `Set-Cookie` value that signs a browser in as the owner of an access token. Good for 12 hours, and never longer than that
   * token's sign-in.
   */
  begin(accessToken: string): Promise<string>;
  /** `Set-Cookie` value that signs the browser out. */
  end(): string;
  /** Whether a page of this origin sent the form. */
  isOwnForm(request: FastifyRequest): boolean;
}

export interface BrowserSessionOptions {
  readonly keys: readonly SigningKey[];
  /** Public address of this API. */
  readonly publicBaseUrl: string;
  readonly standings: Directory<Standing>;
}

const tokenType = 'browser';
const longest = '12h';

export async function createBrowserSession({
  keys,
  publicBaseUrl,
  standings,
}: BrowserSessionOptions): Promise<BrowserSession> {
  const ring = await createKeyRing(keys, derive);
  const bearer = createBearer({ tokens: createTokenReader(ring, tokenType), standings });
  const isOwn = createOwnOrigin(publicBaseUrl);
  const cookie = cookieOf(publicBaseUrl);
  const read = ({ headers }: FastifyRequest) =>
    headers.cookie === undefined ? undefined : parseCookie(headers.cookie)[cookie.name];
  return {
    isPresent: (request) => read(request) !== undefined,
    identify: (request) => identify(request, { bearer, token: read(request), isOwn }),
    begin: async (accessToken) => {
      const claims = { ...decodeJwt(accessToken), type: tokenType };
      const token = new SignJWT(claims).setProtectedHeader({ alg: 'HS256', ...ring.header }).setExpirationTime(longest);
      return stringifySetCookie({ ...cookie, value: await token.sign(ring.current) });
    },
    end: () => stringifySetCookie({ ...cookie, value: '', maxAge: 0 }),
    isOwnForm: ({ headers }) => isFromOwnPage(headers, isOwn, false),
  };
}

interface Presented {
  readonly bearer: Bearer;
  readonly token: string | undefined;
  readonly isOwn: ReturnType<typeof createOwnOrigin>;
}

function identify({ headers, method }: FastifyRequest, { bearer, token, isOwn }: Presented) {
  const isSafe = method === 'GET' && headers.upgrade === undefined;
  if (!isFromOwnPage(headers, isOwn, isSafe)) throw new HttpError(403, 'Forbidden: cookies need a page of this origin');
  return bearer.identifyToken(token ?? '');
}

/** Over https the `__Host-` prefix makes browsers refuse the cookie from other hosts, other paths and unencrypted pages. */
function cookieOf(publicBaseUrl: string): Omit<SetCookie, 'value'> {
  const secure = publicBaseUrl.startsWith('https:');
  const name = secure ? '__Host-agentmesh' : 'agentmesh';
  return { name, httpOnly: true, sameSite: 'strict', secure, path: '/' };
}

function derive(secret: string): Promise<webcrypto.CryptoKey> {
  const bytes = hkdfSync('sha256', secret, new Uint8Array(0), 'agentmesh browser session', 32);
  return importHmacKey(Buffer.from(bytes).toString('base64url'));
}

import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

const name = 'refresh_token';

/** Cookie with the refresh token. */
export interface RefreshCookie {
  /** Value of the cookie in a request. */
  read(request: FastifyRequest): string | undefined;
  write(reply: FastifyReply, value: string, maxAgeSeconds: number): void;
  clear(reply: FastifyReply): void;
}

/** Value of the cookie in a request. */
export function readRefreshCookie({ headers }: FastifyRequest): string | undefined {
  return parseCookie(headers.cookie ?? '')[name] || undefined;
}

/** `secure`: browsers send the cookie only over https. */
export function createRefreshCookie(secure: boolean): RefreshCookie {
  const write = (reply: FastifyReply, value: string, maxAge: number): void => {
    const cookie = { name, value, maxAge, path: '/', httpOnly: true, sameSite: 'lax', secure } as const;
    reply.header('set-cookie', stringifySetCookie(cookie)).header('cache-control', 'no-store');
  };
  return {
    read: readRefreshCookie,
    write,
    clear: (reply) => write(reply, '', 0),
  };
}

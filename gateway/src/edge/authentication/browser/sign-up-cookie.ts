import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

const name = 'sign_up_proof';
const maxAge = 30 * 24 * 60 * 60;

/**
 * Cookie that a browser gets when it signs up. It shows, when the address is verified, that the password was chosen in the same browser.
 * It opens nothing. `secure`: browsers send it only over https. Without a proof, as an older auth answers, nothing is written.
 */
export function writeSignUpCookie(reply: FastifyReply, proof: string, secure: boolean): void {
  if (proof === '') return;
  const cookie = { name, value: proof, maxAge, path: '/api/auth', httpOnly: true, sameSite: 'lax', secure } as const;
  reply.header('set-cookie', stringifySetCookie(cookie)).header('cache-control', 'no-store');
}

/** Value of the cookie in a request; empty if there is none. */
export function readSignUpCookie({ headers }: FastifyRequest): string {
  return parseCookie(headers.cookie ?? '')[name] ?? '';
}

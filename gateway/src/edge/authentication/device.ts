import type { FastifyRequest } from 'fastify';

/** User agent and IP address of a request, for the list of sign-ins. */
export function deviceOf({ ip, headers }: FastifyRequest): { userAgent: string; address: string } {
  return { userAgent: headers['user-agent'] ?? '', address: plainAddress(ip) };
}

/** Unwraps an IPv4 address that is mapped into IPv6: `::ffff:192.0.2.1` becomes `192.0.2.1`. */
function plainAddress(ip: string): string {
  return ip.startsWith('::ffff:') && ip.includes('.') ? ip.slice('::ffff:'.length) : ip;
}

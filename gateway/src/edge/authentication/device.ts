import type { FastifyRequest } from 'fastify';

/** Where a request came from, as a list of sign-ins shows it. */
export function deviceOf({ ip, headers }: FastifyRequest): { userAgent: string; address: string } {
  return { userAgent: headers['user-agent'] ?? '', address: plainAddress(ip) };
}

/** An IPv4 address that arrived on an IPv6 socket, as IPv4. */
export function plainAddress(ip: string): string {
  return ip.startsWith('::ffff:') && ip.includes('.') ? ip.slice('::ffff:'.length) : ip;
}

import { createHash } from 'node:crypto';
import { domainToASCII } from 'node:url';
import ipaddr from 'ipaddr.js';
import type { Config } from '../config.ts';
import type { Bucket } from './bucket.ts';

/** The buckets of a sign-in that fails: of the address it came from, and of the account it was for. */
export function signInBuckets(
  config: Config,
  { email, ip }: { readonly email: string; readonly ip: string },
): Bucket[] {
  return [
    {
      key: `sign-in:address:${networkOf(ip)}`,
      burst: config.RATE_LIMIT_SIGN_IN_ADDRESS_BURST,
      perHour: config.RATE_LIMIT_SIGN_IN_ADDRESS_PER_HOUR,
    },
    {
      key: `sign-in:account:${digestOf(email)}`,
      burst: config.RATE_LIMIT_SIGN_IN_ACCOUNT_BURST,
      perHour: config.RATE_LIMIT_SIGN_IN_ACCOUNT_PER_HOUR,
    },
  ];
}

/** One IPv4 address, or the IPv6 network that one customer has. */
export function networkOf(ip: string): string {
  const address = ipaddr.isValid(ip) ? ipaddr.process(ip) : undefined;
  if (address === undefined) return 'unknown';
  if (address.kind() === 'ipv4') return address.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/64`).toString();
}

/** The same for every spelling of an address; whether it has an account makes no difference. The store is told no address. */
function digestOf(email: string): string {
  const folded = email.slice(0, 1_000).trim().normalize('NFC').toLowerCase().normalize('NFC');
  const at = folded.lastIndexOf('@');
  const domain = folded.slice(at + 1);
  const spelled = `${folded.slice(0, at + 1)}${domainToASCII(domain) || domain}`;
  return createHash('sha256').update(spelled).digest('base64url').slice(0, 22);
}

import { createHash } from 'node:crypto';
import { domainToASCII } from 'node:url';
import ipaddr from 'ipaddr.js';
import type { Config } from '../../config.ts';
import type { Bucket } from './bucket.ts';

/** From all addresses together so many times more may fail than from one: a stranger alone locks nobody out. */
const allAddresses = 5;

/** The buckets of a sign-in that fails: of the address it came from, of the account it was for, and of both. */
export function signInBuckets(
  config: Config,
  { email, ip }: { readonly email: string; readonly ip: string },
): Bucket[] {
  const network = networkOf(ip);
  const account = digestOf(email);
  const { RATE_LIMIT_SIGN_IN_ACCOUNT_BURST: burst, RATE_LIMIT_SIGN_IN_ACCOUNT_PER_HOUR: perHour } = config;
  return [
    {
      key: `sign-in:address:${network}`,
      burst: config.RATE_LIMIT_SIGN_IN_ADDRESS_BURST,
      perHour: config.RATE_LIMIT_SIGN_IN_ADDRESS_PER_HOUR,
    },
    { key: `sign-in:account:${account}:${network}`, burst, perHour },
    { key: `sign-in:account:${account}`, burst: burst * allAddresses, perHour: perHour * allAddresses },
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

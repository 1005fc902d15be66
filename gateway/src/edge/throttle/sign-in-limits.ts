import { createHash } from 'node:crypto';
import { domainToASCII } from 'node:url';
import ipaddr from 'ipaddr.js';
import type { Bucket } from './bucket.ts';

/**
 * Factor by which more failures are allowed for an account from all addresses together than from one. So one stranger alone cannot
 * lock an owner out.
 */
const allAddresses = 5;

export interface SignInLimitSettings {
  readonly RATE_LIMIT_SIGN_IN_ADDRESS_BURST: number;
  readonly RATE_LIMIT_SIGN_IN_ADDRESS_PER_HOUR: number;
  readonly RATE_LIMIT_SIGN_IN_ACCOUNT_BURST: number;
  readonly RATE_LIMIT_SIGN_IN_ACCOUNT_PER_HOUR: number;
}

/** Failures in an hour that an address has left for an account which others have locked. */
const leftForFresh = 3;

export interface SignInBuckets {
  /** Buckets of the address, of the account, and of both together. */
  readonly usual: readonly Bucket[];
  /**
   * Buckets in place of them when too many sign-ins have failed for the account from other addresses: an owner who comes from a fresh one
   * has a few tries. Neighbouring addresses, which one attacker often has, count as one.
   */
  readonly fresh: readonly Bucket[];
}

export function signInBuckets(
  config: SignInLimitSettings,
  { email, ip }: { readonly email: string; readonly ip: string },
): SignInBuckets {
  const network = networkOf(ip);
  const account = digestOf(email);
  const { RATE_LIMIT_SIGN_IN_ACCOUNT_BURST: burst, RATE_LIMIT_SIGN_IN_ACCOUNT_PER_HOUR: perHour } = config;
  const ofAddress: Bucket = {
    key: `sign-in:address:${network}`,
    burst: config.RATE_LIMIT_SIGN_IN_ADDRESS_BURST,
    perHour: config.RATE_LIMIT_SIGN_IN_ADDRESS_PER_HOUR,
  };
  const ofBoth: Bucket = { key: `sign-in:account:${account}:${network}`, burst, perHour };
  const all: Bucket = {
    key: `sign-in:account:${account}`,
    burst: burst * allAddresses,
    perHour: perHour * allAddresses,
  };
  const left = Math.min(leftForFresh, burst);
  const neighbours = neighbourhoodOf(network);
  const fresh: Bucket = { key: `sign-in:account:${account}:fresh:${neighbours}`, burst: left, perHour: left };
  return { usual: [ofAddress, ofBoth, all], fresh: [ofAddress, ofBoth, fresh] };
}

/** The /24 network of an IPv4 address, or the /48 network of an IPv6 address. */
function neighbourhoodOf(network: string): string {
  if (!ipaddr.isValid(network)) return network;
  const kind = ipaddr.parse(network).kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return kind.networkAddressFromCIDR(`${network}/${kind === ipaddr.IPv4 ? 24 : 48}`).toString();
}

/** The IPv4 address, or the /64 network of an IPv6 address, which one customer usually has. */
export function networkOf(ip: string): string {
  const address = ipaddr.isValid(ip) ? ipaddr.process(ip) : undefined;
  if (address === undefined) return 'unknown';
  if (address.kind() === 'ipv4') return address.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/64`).toString();
}

/**
 * Digest of an e-mail address, equal for all its spellings. It does not depend on whether an account exists. The store never holds
 * the address itself.
 */
function digestOf(email: string): string {
  const folded = email.slice(0, 1_000).trim().normalize('NFC').toLowerCase().normalize('NFC');
  const at = folded.lastIndexOf('@');
  const domain = folded.slice(at + 1);
  const spelled = `${folded.slice(0, at + 1)}${domainToASCII(domain) || domain}`;
  return createHash('sha256').update(spelled).digest('base64url').slice(0, 22);
}

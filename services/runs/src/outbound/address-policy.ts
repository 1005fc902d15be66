import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { OutboundError } from './outbound-error.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** Which hosts and addresses may be reached. */
export interface AddressPolicy {
  /** Throws OutboundError `address_refused` unless every address may be reached under this host name. */
  check(hostname: string, addresses: readonly string[]): void;
}

/** Cloud metadata and link-local: no setting opens them. */
const neverHosts = new Set(['metadata.google.internal', 'metadata.goog']);
const neverRanges = ['169.254.0.0/16', 'fe80::/10', 'fd00:ec2::254/128', '100.100.100.200/32'].map(parseRange);

/** NAT64 carries an IPv4 address in its last 32 bits. */
const nat64 = parseRange('64:ff9b::/96');

/**
 * Public unicast addresses may be reached; others only if `allow` names their host, address or CIDR. Throws a RangeError
 * for an entry that is none of these.
 */
export function createAddressPolicy(allow: readonly string[]): AddressPolicy {
  const ranges = allow.filter(isAddressOrRange).map(parseRange);
  const hosts = new Set(allow.filter((entry) => !isAddressOrRange(entry)).map(parseHost));
  const mayReach = (host: string, text: string): boolean => {
    const address = ipaddr.process(text);
    if (isNever(address)) return false;
    return address.range() === 'unicast' || hosts.has(host) || ranges.some((range) => isWithin(address, range));
  };
  return {
    check(hostname, addresses) {
      const host = normalizeHost(hostname);
      const open = !neverHosts.has(host) && addresses.length > 0 && addresses.every((text) => mayReach(host, text));
      if (!open) throw new OutboundError('address_refused', `The address ${host} may not be reached from here.`);
    },
  };
}

/** Lower case, without IPv6 brackets and without the root dot. */
export function normalizeHost(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

function isAddressOrRange(entry: string): boolean {
  return entry.includes('/') || isIP(entry) !== 0;
}

function parseHost(entry: string): string {
  if (!/^[a-z0-9_]([a-z0-9._-]*[a-z0-9_.])?$/i.test(entry)) throw invalidEntry(entry);
  return normalizeHost(entry);
}

function parseRange(entry: string): Range {
  try {
    if (entry.includes('/')) return ipaddr.parseCIDR(entry);
    const address = ipaddr.process(entry);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  } catch {
    throw invalidEntry(entry);
  }
}

function invalidEntry(entry: string): RangeError {
  return new RangeError(`"${entry}" is neither a host name, nor an IP address, nor a CIDR such as 127.0.0.1/32`);
}

function isNever(address: Address): boolean {
  if (neverRanges.some((range) => isWithin(address, range))) return true;
  if (!isWithin(address, nat64)) return false;
  return isNever(ipaddr.fromByteArray(address.toByteArray().slice(-4)));
}

function isWithin(address: Address, [network, bits]: Range): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { OutboundError } from './outbound-error.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** Decides which hosts and addresses may be reached. */
export interface AddressPolicy {
  /** Throws OutboundError `address_refused` unless every address may be reached under this host name. */
  check(hostname: string, addresses: readonly string[]): void;
  /** The same for a host that need not be resolved: an IP literal, or a name that is never public. Other names pass. */
  checkHost(hostname: string): void;
  /** Whether the setting names this host, or the address that it is a literal of. */
  allows(hostname: string): boolean;
}

/** Names and addresses of cloud metadata and host services, and link-local addresses: no setting opens them. */
const neverHosts = new Set(['metadata.google.internal', 'metadata.goog', 'instance-data']);
const neverRanges = [
  '169.254.0.0/16',
  'fe80::/10',
  // Metadata over IPv6: of Amazon, Google, Oracle and Scaleway.
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
  'fd00:c1::a9fe:a9fe/128',
  'fd00:42::42/128',
  // Metadata of Alibaba and Azure.
  '100.100.100.200/32',
  '168.63.129.16/32',
].map(parseRange);

/** Top-level names that no public DNS has: RFC 6761, 6762, 8375, 9476, and those of clusters. */
const privateSuffix = /(?:^|\.)(?:localhost|local|internal|lan|home|corp|intranet|private|home\.arpa|alt|svc)$/;

/** Global unicast; the rest of IPv6 is special, reserved or not assigned. */
const globalIpv6 = parseRange('2000::/3');

/**
 * Prefixes that carry an IPv4 address, with the place of its first byte: IPv4-compatible, IPv4-translated, NAT64 with its local form,
 * and 6to4.
 */
const carriers: readonly (readonly [Range, number])[] = [
  [parseRange('::/96'), 12],
  [parseRange('::ffff:0:0:0/96'), 12],
  [parseRange('64:ff9b::/96'), 12],
  [parseRange('64:ff9b:1::/48'), 12],
  [parseRange('2002::/16'), 2],
];

/**
 * Public unicast addresses may be reached, as the registries of special-purpose addresses of IANA define them; others only if `allow`
 * names their host, address or CIDR. Throws a RangeError for an entry that is none of these.
 *
 *     const policy = createAddressPolicy(['10.1.0.0/16', 'models.internal']);
 */
export function createAddressPolicy(allow: readonly string[]): AddressPolicy {
  const ranges = allow.filter(isAddressOrRange).map(parseRange);
  const hosts = new Set(allow.filter((entry) => !isAddressOrRange(entry)).map(parseHost));
  const isAllowed = (address: Address): boolean => ranges.some((range) => isWithin(address, range));
  const mayReach = (host: string, text: string): boolean => {
    const address = parseAddress(text);
    return !isNever(address) && (isPublic(address) || hosts.has(host) || isAllowed(address));
  };
  const require = (host: string, isOpen: boolean): void => {
    if (!isOpen || neverHosts.has(host)) throw refusal(host);
  };
  const allows = (hostname: string): boolean => {
    const host = normalizeHost(hostname);
    return hosts.has(host) || (isIP(host) !== 0 && isAllowed(parseAddress(host)));
  };
  return {
    check(hostname, addresses) {
      const host = normalizeHost(hostname);
      require(host, addresses.length > 0 && addresses.every((text) => mayReach(host, text)));
    },
    checkHost(hostname) {
      const host = normalizeHost(hostname);
      if (isIP(host) !== 0) require(host, mayReach(host, host));
      else require(host, hosts.has(host) || !isPrivateName(host) || (host === 'localhost' && allows('127.0.0.1')));
    },
    allows: (hostname) => allows(hostname) || (normalizeHost(hostname) === 'localhost' && allows('127.0.0.1')),
  };
}

/** Lower case, without IPv6 brackets and without the root dot. */
export function normalizeHost(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

function refusal(host: string): OutboundError {
  return new OutboundError('address_refused', `The address ${host} may not be reached from here.`);
}

/** A name without a dot belongs to a local network, e.g. a container or a service of a cluster. */
function isPrivateName(host: string): boolean {
  return !host.includes('.') || privateSuffix.test(host);
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

/** ipaddr.js reads an IPv4-compatible address with dots, `::8.8.8.8`, as an IPv4-mapped one. URL writes it without dots. */
function parseAddress(text: string): Address {
  const url = isIP(text) === 6 && text.includes('.') ? URL.parse(`http://[${text}]`) : null;
  return ipaddr.process(url === null ? text : url.hostname.slice(1, -1));
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || isWithin(address, globalIpv6);
}

function isNever(address: Address): boolean {
  if (neverRanges.some((range) => isWithin(address, range))) return true;
  const carrier = carriers.find(([range]) => isWithin(address, range));
  if (carrier === undefined) return false;
  const [, start] = carrier;
  return isNever(ipaddr.fromByteArray(address.toByteArray().slice(start, start + 4)));
}

function isWithin(address: Address, [network, bits]: Range): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}

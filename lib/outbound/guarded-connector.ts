import { lookup as dnsLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { type AddressPolicy, normalizeHost } from './address-policy.ts';

/** Resolves a host name to all its addresses; `node:dns` unless a test says otherwise. */
export type ResolveAll = (
  hostname: string,
  options: LookupOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

const resolveByDns: ResolveAll = (hostname, options, callback) => {
  dnsLookup(hostname, { ...options, all: true }, callback);
};

/**
 * A connector of undici that checks IP literals (for which there is no lookup) and every address of a lookup with the policy.
 * The socket connects to exactly the checked address, so a second DNS answer cannot change it.
 */
export function createGuardedConnector(
  policy: AddressPolicy,
  { timeoutMs, resolveAll = resolveByDns }: { timeoutMs: number; resolveAll?: ResolveAll | undefined },
): buildConnector.connector {
  const lookup = createGuardedLookup(policy, resolveAll);
  const connect = buildConnector({ timeout: timeoutMs, lookup });
  return (options, callback) => {
    const host = normalizeHost(options.hostname);
    try {
      if (isIP(host) !== 0) policy.check(host, [host]);
    } catch (error) {
      callback(asError(error), null);
      return;
    }
    connect(options, callback);
  };
}

function createGuardedLookup(policy: AddressPolicy, resolveAll: ResolveAll): LookupFunction {
  return (hostname, options, callback) => {
    resolveAll(hostname, options, (error, addresses) => {
      if (error !== null) return callback(error, []);
      try {
        policy.check(
          hostname,
          addresses.map(({ address }) => address),
        );
      } catch (refusal) {
        return callback(asError(refusal), []);
      }
      const [first] = addresses;
      if (options.all === true || first === undefined) return callback(null, addresses);
      return callback(null, first.address, first.family);
    });
  };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error('refused', { cause: error });
}

import { type LookupAddress, promises } from 'node:dns';
import { setTimeout as sleep } from 'node:timers/promises';

export interface DnsOptions {
  /** Longest time for all answers about one name, in milliseconds; 5 s by default. */
  readonly timeoutMs?: number;
  /** Name servers as `address:port`; those of the machine by default. */
  readonly servers?: readonly string[];
}

/** Time for one query at one server, in milliseconds. A second try follows. */
const tryMs = 1_500;
/** Time that the addresses of the other family get after those of one have come, in milliseconds. */
const secondFamilyMs = 300;

/**
 * All addresses of a name, IPv4 first. It asks the name servers itself (c-ares), not through the four threads of `dns.lookup`, which
 * names that hang would keep from everybody else; so it reads no hosts file and adds no search domain. Rejects with an Error of
 * `node:dns` when the name has no address, or with `ETIMEOUT` when no answer comes in time.
 */
export async function resolveByDns(hostname: string, options: DnsOptions = {}): Promise<LookupAddress[]> {
  if (/(?:^|\.)localhost$/.test(hostname)) return [{ address: '127.0.0.1', family: 4 }];
  const { timeoutMs = 5_000, servers } = options;
  // One for each name, so that it can be cancelled alone.
  const resolver = new promises.Resolver({ timeout: tryMs, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  const deadline = setTimeout(() => resolver.cancel(), timeoutMs);
  try {
    return await bothFamilies(resolver, hostname);
  } finally {
    clearTimeout(deadline);
    resolver.cancel();
  }
}

async function bothFamilies(resolver: promises.Resolver, hostname: string): Promise<LookupAddress[]> {
  const families = [
    resolver.resolve4(hostname).then((found) => found.map((address) => ({ address, family: 4 }))),
    resolver.resolve6(hostname).then((found) => found.map((address) => ({ address, family: 6 }))),
  ];
  await Promise.any(families).catch((error: AggregateError) => {
    throw error.errors[0];
  });
  const both = families.map((family) => Promise.race([family.catch(() => []), sleep(secondFamilyMs, [])]));
  return (await Promise.all(both)).flat();
}

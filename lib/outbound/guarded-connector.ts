import { type LookupAddress, promises } from 'node:dns';
import { isIP, type LookupFunction, type OnReadOpts, type Socket } from 'node:net';
import { callbackify } from 'node:util';
import type { buildConnector } from 'undici';
import { type AddressPolicy, normalizeHost } from './address-policy.ts';
import { blockedPorts } from './blocked-ports.ts';
import { countRead } from './fetch-forms/index.ts';
import { presentAccount, resolveByDns, Turns } from './names/index.ts';
import { OutboundError } from './outbound-error.ts';

/** Resolves a host name to all its addresses, or rejects. */
export type ResolveAll = (hostname: string) => Promise<LookupAddress[]>;

export interface GuardedConnectorOptions {
  /** Time for a connection to be made, in milliseconds. */
  readonly timeoutMs: number;
  /** `resolveByDns` unless a test says otherwise. */
  readonly resolveAll?: ResolveAll | undefined;
}

/** Most bytes that one read of a socket takes. */
const chunkBytes = 8 * 1024;
/** Look-ups of one account. A name that hangs keeps a turn for 5 s. */
const lookups = { atOnce: 16, waiting: 256 };

/**
 * A connector of undici that refuses ports of other protocols, and checks IP literals (for which there is no lookup) and every address of a lookup with the policy.
 * The socket connects to exactly the checked address, so a second DNS answer cannot change it. Names that the policy names are
 * resolved as the machine does it, with its hosts file and search domains; all others by DNS, at most 16 at once for an account.
 */
export async function createGuardedConnector(
  policy: AddressPolicy,
  { timeoutMs, resolveAll = (hostname) => resolveByDns(hostname) }: GuardedConnectorOptions,
): Promise<buildConnector.connector> {
  const { buildConnector: build } = await import('undici');
  const turns = new Turns(lookups);
  const resolve: ResolveAll = (hostname) =>
    policy.allows(hostname)
      ? promises.lookup(hostname, { all: true })
      : turns.run(presentAccount(), () => resolveAll(hostname));
  const connect = build({ timeout: timeoutMs, lookup: createGuardedLookup(policy, resolve), ...readSmallChunks() });
  return (options, callback) => {
    const host = normalizeHost(options.hostname);
    try {
      // Empty: that of the protocol.
      if (options.port !== '' && blockedPorts.has(Number(options.port)))
        throw new OutboundError('address_refused', 'The port is refused.');
      if (isIP(host) !== 0) policy.check(host, [host]);
    } catch (error) {
      callback(asError(error), null);
      return;
    }
    connect(options, callback);
  };
}

/**
 * Options of sockets that read 8 KiB at a time, and no more before somebody takes them. Node itself reads up to 64 KiB for each socket and as much again for its stream, so a thousand
 * answers that nobody has begun to read hold 200 MB of buffers, and V8 collects its whole heap for each 64 MB of them. With TLS these are the sizes of what has been decrypted; below it Node
 * still reads up to 64 KiB, and HTTP/2 has windows of its own.
 */
function readSmallChunks(): { highWaterMark: number; onread: OnReadOpts } {
  const buffer = Buffer.allocUnsafeSlow(chunkBytes);
  return {
    highWaterMark: chunkBytes,
    onread: {
      buffer,
      callback(this: Socket, bytes: number): boolean {
        countRead(this, bytes);
        return this.push(Buffer.from(buffer.subarray(0, bytes)));
      },
    },
  };
}

function createGuardedLookup(policy: AddressPolicy, resolve: ResolveAll): LookupFunction {
  const resolveChecked = callbackify(async (hostname: string) => {
    const addresses = await resolve(hostname);
    const texts = addresses.map(({ address }) => address);
    policy.check(hostname, texts);
    return addresses;
  });
  return (hostname, options, callback) => {
    resolveChecked(hostname, (error, addresses) => {
      if (error !== null) return callback(error, []);
      const [first] = addresses;
      if (options.all === true || first === undefined) return callback(null, addresses);
      return callback(null, first.address, first.family);
    });
  };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error('refused', { cause: error });
}

import { isIP } from 'node:net';

/** Text of the reference's answer to foreign hosts. */
export const foreignHost = 'Forbidden: host not allowed';

export interface HostPolicy {
  /** Address that the server listens on. */
  readonly boundTo: string;
  /** Public address of this API. */
  readonly publicBaseUrl: string;
}

/**
 * Protects a server on a loopback address from DNS rebinding: a foreign page can make its own name resolve to 127.0.0.1. There a
 * `Host` must be the public host, a name under `localhost`, an IP address, or a name without a dot, which cannot be registered. A
 * server on another address accepts every `Host`.
 */
export function createHostCheck({ boundTo, publicBaseUrl }: HostPolicy): (host: string | undefined) => boolean {
  if (!isLoopback(boundTo)) return () => true;
  const own = new URL(publicBaseUrl).hostname;
  /** The last host that was accepted: most requests name the same one, and parsing costs more than the rest of the check. */
  let accepted: string | undefined;
  return (host) => {
    if (host === undefined || host === accepted) return true;
    if (!isSafe(host, own)) return false;
    accepted = host;
    return true;
  };
}

function isSafe(host: string, own: string): boolean {
  const name = URL.parse(`http://${host}`)?.hostname.replace(/\.$/, '');
  if (name === undefined) return false;
  return name === own || !name.includes('.') || name.endsWith('.localhost') || isAddress(name);
}

function isLoopback(address: string): boolean {
  return address === 'localhost' || address === '::1' || address.startsWith('127.');
}

function isAddress(name: string): boolean {
  return isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;
}

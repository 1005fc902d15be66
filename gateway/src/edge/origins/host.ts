import { isIP } from 'node:net';

/** What the reference says to them. */
export const foreignHost = 'Forbidden: host not allowed';

export interface HostPolicy {
  /** Where the server listens. */
  readonly boundTo: string;
  /** This API as the outside sees it. */
  readonly publicBaseUrl: string;
}

/**
 * Whether a `Host` is one that this server may have. A server that only its own machine can reach is reached by foreign pages
 * whose name has been made to resolve to it (DNS rebinding): there it must be the public one, one under `localhost`, an address,
 * or a name without a dot, which nobody can register. Elsewhere any will do.
 */
export function createHostCheck({ boundTo, publicBaseUrl }: HostPolicy): (host: string | undefined) => boolean {
  if (!isLoopback(boundTo)) return () => true;
  const own = new URL(publicBaseUrl).hostname;
  return (host) => {
    if (host === undefined) return true;
    const name = URL.parse(`http://${host}`)?.hostname.replace(/\.$/, '');
    if (name === undefined) return false;
    return name === own || !name.includes('.') || name.endsWith('.localhost') || isAddress(name);
  };
}

function isLoopback(address: string): boolean {
  return address === 'localhost' || address === '::1' || address.startsWith('127.');
}

function isAddress(name: string): boolean {
  return isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;
}

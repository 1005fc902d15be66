import type { PeerCertificate } from 'node:tls';
import type { Caller } from './caller.ts';
import { identityRefused } from './identity-refused.ts';

/**
 * Returns the service that calls over a connection with mutual TLS. `claimed` must be a common name of the client's certificate. A
 * certificate has one common name for each service of its process. Throws MeshError.
 */
export function certificateCaller(certificate: PeerCertificate | undefined, claimed: string | undefined): Caller {
  const names = commonNames(certificate);
  if (claimed === undefined || !names.includes(claimed)) {
    throw identityRefused(`its certificate names ${names.join(', ') || 'nobody'} and not the service that calls`);
  }
  return { name: claimed, audience: undefined, expiresAt: Infinity };
}

/** The common names in the subject of a certificate. Node answers several as an array. */
function commonNames(certificate: PeerCertificate | undefined): string[] {
  const names: string | string[] | undefined = certificate?.subject?.CN;
  return names === undefined ? [] : [names].flat();
}

import type { Metadata } from '@grpc/grpc-js';
import type { PeerCertificate } from 'node:tls';
import type { MeshIdentities, MeshTls } from '../call/index.ts';
import type { Caller } from './caller.ts';
import { certificateCaller } from './certificate-check.ts';
import { identityRefused } from './identity-refused.ts';
import { MESH_CALLER, MESH_IDENTITY } from './proof.ts';
import { createTokenCheck } from './token-check.ts';

/** The parts of a gRPC call that tell who makes it. */
export interface PresentedCall {
  readonly metadata: Metadata;
  getPeer(): string;
  getAuthContext(): { readonly sslPeerCertificate?: PeerCertificate };
}

/** Returns the service that makes a call from another process. Rejects or throws with MeshError. */
export type CallCheck = (call: PresentedCall) => Caller | Promise<Caller>;

/** Creates the check of callers: by certificate where mutual TLS is on, else by token. */
export function createCallCheck(identities: MeshIdentities | undefined, tls: MeshTls | undefined): CallCheck {
  if (tls) {
    return (call) => {
      const [claimed] = call.metadata.get(MESH_CALLER);
      return certificateCaller(call.getAuthContext().sslPeerCertificate, claimed?.toString());
    };
  }
  const check = createTokenCheck(identities?.known ?? new Map());
  return ({ metadata }) => {
    const [token] = metadata.get(MESH_IDENTITY);
    if (typeof token !== 'string') throw identityRefused('it sends no identity token');
    return check(token);
  };
}

import type { Metadata } from '@grpc/grpc-js';
import type { MeshIdentities, MeshTls } from '../call/index.ts';
import { IdentityToken } from './identity-token.ts';

/** Metadata with the identity token of the service that calls. */
export const MESH_IDENTITY = 'mesh-identity';
/** Metadata with the name of the service that calls, where its certificate proves it. */
export const MESH_CALLER = 'mesh-caller';

/** Shows other processes which service calls. */
export interface Proof {
  /** Adds the proof to metadata, in place. */
  present(metadata: Metadata): void;
  /** A promise when the proof must be renewed before the next `present`; undefined at almost every call. */
  renewal(): Promise<void> | undefined;
}

export interface ProofOptions {
  /** Name of the service that calls. */
  readonly caller: string;
  /** Names of the services that it calls with this proof. */
  readonly audience: readonly string[];
  readonly identities: MeshIdentities | undefined;
  readonly tls: MeshTls | undefined;
}

/** Creates the proof: the certificate where mutual TLS is on, else a token. A service without a key of its own shows nothing. */
export function createProof({ caller, audience, identities, tls }: ProofOptions): Proof {
  const key = tls ? undefined : identities?.own.get(caller);
  if (key === undefined) {
    return { present: (metadata) => metadata.set(MESH_CALLER, caller), renewal: () => undefined };
  }
  const token = new IdentityToken({ service: caller, key, audience });
  return { present: (metadata) => metadata.set(MESH_IDENTITY, token.text), renewal: () => token.renewal() };
}

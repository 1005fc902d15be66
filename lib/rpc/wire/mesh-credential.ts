import { timingSafeEqual } from 'node:crypto';
import type { Metadata } from '@grpc/grpc-js';

/** The metadata key that carries the mesh credential. */
export const MESH_KEY = 'mesh-key';

/** The metadata key that names the service that calls. */
export const MESH_CALLER = 'mesh-caller';

export interface MeshCredential {
  readonly caller: string;
  /** As `presentKey` answers it. */
  readonly key: string;
}

/** Adds the credential to metadata, in place. */
export function present({ caller, key }: MeshCredential, metadata: Metadata): void {
  metadata.set(MESH_CALLER, caller);
  metadata.set(MESH_KEY, key);
}

/** Metadata is ASCII; a key may be any text. */
export function presentKey(key: string): string {
  return encodeURIComponent(key);
}

/** Returns a check whether a presented key is one of `keys`. Its time does not depend on where they differ. */
export function keyCheck(keys: readonly string[]): (presented: string) => boolean {
  const accepted = keys.map((key) => Buffer.from(presentKey(key)));
  return (presented) => {
    const given = Buffer.from(presented);
    let match = false;
    for (const key of accepted) match = (key.length === given.length && timingSafeEqual(key, given)) || match;
    return match;
  };
}

import { Metadata } from '@grpc/grpc-js';
import { createProof } from '../identity/index.ts';
import type { MeshIdentities } from '../index.ts';

/** gRPC metadata with the token of a service for tests that call methods by hand. */
export async function presentAs(
  caller: string,
  { audience, identities }: { readonly audience: readonly string[]; readonly identities: MeshIdentities | undefined },
): Promise<Metadata> {
  const proof = createProof({ caller, audience, identities, tls: undefined });
  await proof.renewal();
  const metadata = new Metadata();
  proof.present(metadata);
  return metadata;
}

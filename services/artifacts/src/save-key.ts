import { createHash } from 'node:crypto';
import type { keyedRequest } from '@agentmesh/lib/idempotency';
import type { SaveCommit } from '@agentmesh/proto/artifacts/v1';

type Keyed = NonNullable<ReturnType<typeof keyedRequest>>;

/** The request of a save: what its headers name, and what was uploaded. The gateway streams the body, so it cannot hash it before the call. */
export function keyOfContent(keyed: Keyed, commit: SaveCommit, sha256: Uint8Array | undefined): Keyed {
  const { name, payload, partJson, customMetadataJson } = commit;
  const hash = createHash('sha256').update(keyed.requestSha256);
  for (const part of [name, String(payload), partJson, customMetadataJson, sha256 ?? '']) {
    // Preceded by its length, so that different saves never hash the same bytes.
    hash.update(`${Buffer.byteLength(part)}:`).update(part);
  }
  return { ...keyed, requestSha256: hash.digest() };
}

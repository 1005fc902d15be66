import type { VersionSchema } from '@agentmesh/proto/artifacts/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { StoredKey } from './artifact-key.ts';
import { canonicalUri } from './artifact-uri.ts';
import type { VersionRow } from './store/versions.ts';

/** Converts a row of `versions` to the record that RPCs return. */
export function versionRecord(key: StoredKey, row: VersionRow): MessageInitShape<typeof VersionSchema> {
  return {
    version: row.version,
    canonicalUri: canonicalUri(key, row.version),
    customMetadataJson: Buffer.from(row.custom_metadata),
    createTime: row.create_time,
    size: row.size,
    sha256: row.sha256?.toString('hex') ?? '',
    ...(row.mime_type !== null && { mimeType: row.mime_type }),
  };
}

import { MeshError } from '@agentmesh/lib/rpc';
import type { Version } from '@agentmesh/proto/artifacts/v1';

/** Public record of a version. Its metadata is JSON already. */
export function versionJson(version: Version | undefined): Uint8Array {
  if (version === undefined) throw versionMissing();
  const { canonicalUri, customMetadataJson, createTime, mimeType } = version;
  const metadata = customMetadataJson.length === 0 ? '{}' : Buffer.from(customMetadataJson).toString();
  const type = mimeType === undefined ? '' : `,"mimeType":${JSON.stringify(mimeType)}`;
  return Buffer.from(
    `{"version":${version.version},"canonicalUri":${JSON.stringify(canonicalUri)},"customMetadata":${metadata},"createTime":${createTime}${type}}`,
  );
}

/** The error of an artifact that the service sends without its version. */
export function versionMissing(): MeshError {
  return new MeshError('internal', 'artifact_without_head', 'The artifact could not be read.');
}

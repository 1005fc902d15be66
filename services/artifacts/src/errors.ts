import { MeshError } from '@agentmesh/lib/rpc';

/** A call that no client of the public can make: a service broke the contract. */
export function requestInvalid(message: string): MeshError {
  return new MeshError('invalid_argument', 'request_invalid', message);
}

/** An id of the path cannot be one. */
export function idInvalid(message: string): MeshError {
  return new MeshError('invalid_argument', 'artifact_id_invalid', message);
}

/** The name cannot be one. */
export function nameInvalid(message: string): MeshError {
  return new MeshError('invalid_argument', 'artifact_name_invalid', message);
}

/** The part holds nothing that can be kept. */
export function partInvalid(): MeshError {
  const message = 'Artifact must have either inline_data, text or file_data.';
  return new MeshError('invalid_argument', 'artifact_part_invalid', message);
}

/** What looks like a reference to an artifact is none. */
export function referenceInvalid(uri: string): MeshError {
  return new MeshError('invalid_argument', 'artifact_reference_invalid', `Invalid artifact reference URI: ${uri}`);
}

/** The reference leaves the app or the user. */
export function referenceForeign(): MeshError {
  const message = 'Artifact references must stay within the same app and user scope.';
  return new MeshError('invalid_argument', 'artifact_reference_foreign', message);
}

/** The reference leaves the session. */
export function referenceOfOtherSession(): MeshError {
  const message = 'Session-scoped artifact references must stay within the same session scope.';
  return new MeshError('invalid_argument', 'artifact_reference_foreign', message);
}

/** References lead to references without end. */
export function referencesTooDeep(): MeshError {
  const message = 'Artifact references are nested too deeply or go round in a circle.';
  return new MeshError('invalid_argument', 'artifact_reference_invalid', message);
}

/** No such artifact, no such version of it, or one that is empty. */
export function artifactNotFound(): MeshError {
  return new MeshError('not_found', 'artifact_not_found', 'Artifact not found');
}

/** No such version. */
export function versionNotFound(): MeshError {
  return new MeshError('not_found', 'artifact_version_not_found', 'Artifact version not found');
}

/** The payload is over the limit. */
export function tooLarge(maxBytes: number): MeshError {
  const message = `The artifact is larger than ${maxBytes} bytes.`;
  return new MeshError('resource_exhausted', 'artifact_too_large', message);
}

/** The save took so long that what it had written was collected; nothing was stored. */
export function uploadExpired(): MeshError {
  return new MeshError('unavailable', 'artifact_upload_expired', 'The artifact took too long to arrive; try again.');
}

/** The store of large payloads fails. */
export function storeUnavailable(cause: unknown): MeshError {
  const message = 'The store of artifacts cannot be reached.';
  return new MeshError('unavailable', 'artifact_store_unavailable', message, { cause });
}

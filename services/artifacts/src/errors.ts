import { MeshError } from '@agentmesh/lib/rpc';

/** The call breaks the RPC contract. The gateway never sends such a call, so another service has a bug. */
export function requestInvalid(message: string): MeshError {
  return new MeshError('invalid_argument', 'request_invalid', message);
}

/** An app name, user id or session id is not allowed. */
export function idInvalid(message: string): MeshError {
  return new MeshError('invalid_argument', 'artifact_id_invalid', message);
}

/** The artifact's name is not allowed. */
export function nameInvalid(message: string): MeshError {
  return new MeshError('invalid_argument', 'artifact_name_invalid', message);
}

/** The Part has no payload and no `fileData`. */
export function partInvalid(): MeshError {
  const message = 'Artifact must have either inline_data, text or file_data.';
  return new MeshError('invalid_argument', 'artifact_part_invalid', message);
}

/** The MIME type cannot be stored. */
export function typeInvalid(): MeshError {
  return new MeshError('invalid_argument', 'artifact_type_invalid', 'A MIME type holds no NUL.');
}

/** The `artifact://` URI is malformed. */
export function referenceInvalid(uri: string): MeshError {
  return new MeshError('invalid_argument', 'artifact_reference_invalid', `Invalid artifact reference URI: ${uri}`);
}

/** The reference names another app or another user. */
export function referenceForeign(): MeshError {
  const message = 'Artifact references must stay within the same app and user scope.';
  return new MeshError('invalid_argument', 'artifact_reference_foreign', message);
}

/** The reference names another session. */
export function referenceOfOtherSession(): MeshError {
  const message = 'Session-scoped artifact references must stay within the same session scope.';
  return new MeshError('invalid_argument', 'artifact_reference_foreign', message);
}

/** More than 8 references follow each other, or they form a circle. */
export function referencesTooDeep(): MeshError {
  const message = 'Artifact references are nested too deeply or go round in a circle.';
  return new MeshError('invalid_argument', 'artifact_reference_invalid', message);
}

/** There is no such artifact or version, or its data is empty. */
export function artifactNotFound(): MeshError {
  return new MeshError('not_found', 'artifact_not_found', 'Artifact not found');
}

/** The session has another artifact of that name. */
export function artifactExists(sessionId: string, name: string): MeshError {
  const message = `The session ${sessionId} already has another artifact ${name}. Delete it, or copy to another id.`;
  return new MeshError('already_exists', 'artifact_exists', message);
}

/** There is no such version. */
export function versionNotFound(): MeshError {
  return new MeshError('not_found', 'artifact_version_not_found', 'Artifact version not found');
}

/** The payload is larger than `ARTIFACT_MAX_BYTES`. */
export function tooLarge(maxBytes: number): MeshError {
  const message = `The artifact is larger than ${maxBytes} bytes.`;
  return new MeshError('resource_exhausted', 'artifact_too_large', message);
}

/** The account has as many artifacts as it may. */
export function accountArtifacts(): MeshError {
  const message = 'The account has as many artifacts as it may (ARTIFACT_ACCOUNT_MAX_ARTIFACTS). Delete some first.';
  return new MeshError('resource_exhausted', 'account_artifacts', message);
}

/** The account's artifacts are as large as they may be. */
export function accountArtifactBytes(): MeshError {
  const message =
    'The artifacts of the account are as large as they may be (ARTIFACT_ACCOUNT_MAX_BYTES). Delete some first.';
  return new MeshError('resource_exhausted', 'account_artifact_bytes', message);
}

/** The account was deleted during the save. */
export function callerGone(): MeshError {
  return new MeshError('unauthenticated', 'caller_gone', 'User not found');
}

/** The save took so long that its object was collected. Nothing was stored; the caller may try again. */
export function uploadExpired(): MeshError {
  return new MeshError('unavailable', 'artifact_upload_expired', 'The artifact took too long to arrive; try again.');
}

/** The blob store has lost bytes of the payload. `cause` says of which, and stays in the process. */
export function artifactDamaged(cause: Error): MeshError {
  return new MeshError('internal', 'artifact_damaged', 'The payload of the artifact is damaged.', { cause });
}

/** The blob store failed. `cause` is its error and stays in the process. */
export function storeUnavailable(cause: unknown): MeshError {
  const message = 'The store of artifacts cannot be reached.';
  return new MeshError('unavailable', 'artifact_store_unavailable', message, { cause });
}

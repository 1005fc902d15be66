import { MeshError } from '@agentmesh/lib/rpc';

export function connectorNameInvalid(): MeshError {
  const message = 'connectorName names neither a connector nor an auth provider.';
  return new MeshError('invalid_argument', 'connector_name_invalid', message);
}

export function validationStateInvalid(problem: string): MeshError {
  const message = `Invalid base64 user_id_validation_state: ${problem}`;
  return new MeshError('invalid_argument', 'validation_state_invalid', message);
}

/** The caller may not finalize for this user id. */
export function credentialUserForeign(): MeshError {
  const message = 'userId is neither your own, nor is it that of a session of yours that asked for this credential.';
  return new MeshError('permission_denied', 'credential_user_foreign', message);
}

/** This process has no Google credential of its own. */
export function notConfigured(cause: unknown): MeshError {
  const message = 'Agent identity is not configured.';
  return new MeshError('unavailable', 'agent_identity_not_configured', message, { cause });
}

/** Google does not accept the credential of this process. */
export function credentialRefused(cause?: unknown): MeshError {
  const message = "The credential service does not accept this server's own credential.";
  return new MeshError('unavailable', 'agent_identity_refused', message, { cause });
}

export function serviceTimeout(): MeshError {
  const message = 'The credential service did not answer in time.';
  return new MeshError('deadline_exceeded', 'agent_identity_timeout', message);
}

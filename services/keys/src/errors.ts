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

/** The call breaks the RPC contract. The gateway never sends such a call, so another service has a bug. */
export function keyRequestInvalid(message: string): MeshError {
  return new MeshError('invalid_argument', 'request_invalid', message);
}

/** A field of a key that has rules. */
export type KeyField = 'name' | 'provider' | 'secret' | 'model' | 'model_api_base';

const fieldReasons: Readonly<Record<KeyField, (message: string) => MeshError>> = {
  name: (message) => new MeshError('invalid_argument', 'key_name_invalid', message),
  provider: (message) => new MeshError('invalid_argument', 'key_provider_invalid', message),
  secret: (message) => new MeshError('invalid_argument', 'key_secret_invalid', message),
  model: (message) => new MeshError('invalid_argument', 'key_model_invalid', message),
  model_api_base: (message) => new MeshError('invalid_argument', 'model_api_base_refused', message),
};

/** A field of a key is not allowed. The message says why and does not quote it. */
export function keyFieldInvalid(field: KeyField, message: string): MeshError {
  return fieldReasons[field](message);
}

/** A stored secret is not sent to an address or a provider that it was not given for. */
export function keySecretRequired(): MeshError {
  const message = 'Enter the key again: its base address or its provider changes.';
  return new MeshError('invalid_argument', 'key_secret_required', message);
}

/** The account has no such key. */
export function keyNotFound(): MeshError {
  return new MeshError('not_found', 'key_not_found', 'API key not found');
}

export function keysTooMany(limit: number): MeshError {
  return new MeshError('resource_exhausted', 'keys_too_many', `An account has at most ${limit} keys.`);
}

/** The secret of the key cannot be decrypted any more. */
export function keyNeedsReentry(): MeshError {
  const message = 'The API key can no longer be decrypted: enter it again.';
  return new MeshError('failed_precondition', 'key_needs_reentry', message);
}

/** The value of an agent's header was changed, moved, or sealed under a lost key. */
export function headerNeedsReentry(name: string): MeshError {
  const message = `The value of the header "${name}" can no longer be decrypted: enter it again.`;
  return new MeshError('failed_precondition', 'header_needs_reentry', message);
}

/** The key was saved for another address, or for none. */
export function keyAddressMismatch(): MeshError {
  const message = 'The API key is not for this server: save it with the base address of the server.';
  return new MeshError('failed_precondition', 'key_address_mismatch', message);
}

/** Error for a saved key that names neither a provider nor a model with one. */
export function keyProviderMissing(): MeshError {
  const message =
    'Give the API key one of the providers openai, anthropic and gemini, a base address, or a model such as openai/gpt-5-mini.';
  return new MeshError('failed_precondition', 'key_provider_missing', message);
}

/** The key is for another provider than the model. */
export function keyProviderMismatch(provider: string): MeshError {
  const message = `The API key is for ${provider}, and the model is of another provider.`;
  return new MeshError('failed_precondition', 'key_provider_mismatch', message);
}

/** A limit is used up. The message tells which one, and until when. */
export function budgetReached(message: string): MeshError {
  return new MeshError('resource_exhausted', 'budget_reached', message);
}

/** The id of a signing secret is not a UUID. */
export function secretIdInvalid(): MeshError {
  return new MeshError('invalid_argument', 'request_invalid', 'The id of a signing secret is a lower-case UUID.');
}

/** The text is no secret of Standard Webhooks. */
export function signingSecretInvalid(): MeshError {
  const message = 'A secret is `whsec_` and the base64 of 16 to 64 bytes.';
  return new MeshError('invalid_argument', 'signing_secret_invalid', message);
}

/** The envelope of a signing secret cannot be opened. */
export function signingSecretLost(): MeshError {
  return new MeshError('failed_precondition', 'signing_secret_lost', 'The secret can no longer be decrypted.');
}

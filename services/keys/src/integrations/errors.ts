import { MeshError } from '@agentmesh/lib/rpc';
import type { ProviderWord } from '../store/integrations.ts';

/** Names of the providers as people know them. */
const names: Readonly<Record<ProviderWord, string>> = { microsoft: 'Microsoft', google: 'Google' };

/** The operator has not set up the provider. `missing` are the settings without a value. */
export function providerNotConfigured(missing: readonly string[]): MeshError {
  const message = `This server cannot connect mail accounts of this provider: set ${missing.join(' and ')}.`;
  return new MeshError('unavailable', 'mail_provider_not_configured', message);
}

export function redirectUriInvalid(): MeshError {
  const message = 'redirect_uri must be an http or https address without credentials and fragment.';
  return new MeshError('invalid_argument', 'redirect_uri_invalid', message);
}

/** The state is unknown, used, expired, or was made for another redirect URI. */
export function connectStateInvalid(): MeshError {
  const message = 'The connection was not started here, or more than ten minutes ago. Start it again.';
  return new MeshError('invalid_argument', 'connect_state_invalid', message);
}

/** The state belongs to another account or provider. */
export function connectStateForeign(): MeshError {
  const message = 'The connection was started by another account or for another provider.';
  return new MeshError('permission_denied', 'connect_state_foreign', message);
}

export function connectCodeRefused(word: ProviderWord): MeshError {
  return new MeshError('invalid_argument', 'connect_code_refused', `${names[word]} did not accept the code.`);
}

export function mailPermissionMissing(word: ProviderWord): MeshError {
  const message = `The permission to read mail was not granted to this server at ${names[word]}.`;
  return new MeshError('invalid_argument', 'mail_permission_missing', message);
}

export function refreshTokenMissing(word: ProviderWord): MeshError {
  const message = `${names[word]} gave no permission for access while you are away. Connect again and consent to it.`;
  return new MeshError('invalid_argument', 'refresh_token_missing', message);
}

export function profileRefused(word: ProviderWord): MeshError {
  const message = `${names[word]} did not tell the address of the mail account.`;
  return new MeshError('invalid_argument', 'mail_profile_refused', message);
}

export function integrationMissing(): MeshError {
  return new MeshError('not_found', 'integration_missing', 'There is no connected mail account of this provider.');
}

/** Error that only the user can resolve. The text begins with the phrase of the specification. */
export function reconnectRequired(word: ProviderWord): MeshError {
  const message = `Invalid credentials. Connect the mail account at ${names[word]} again.`;
  return new MeshError('failed_precondition', 'integration_reconnect_required', message);
}

/** Error of a provider that does not answer; a later call may succeed. */
export function providerUnavailable(word: ProviderWord): MeshError {
  return new MeshError('unavailable', 'mail_provider_unavailable', `${names[word]} does not answer at present.`);
}

/** Error that only the operator can resolve. */
export function providerMisconfigured(word: ProviderWord): MeshError {
  const message = `${names[word]} does not accept the client credentials of this server.`;
  return new MeshError('unavailable', 'mail_provider_misconfigured', message);
}

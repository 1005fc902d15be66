import { MeshError } from '@agentmesh/lib/rpc';
import { InvalidRequest } from '../../edge/errors/request-error.ts';

const fields: Readonly<Record<string, string>> = {
  key_name_invalid: 'key_name',
  key_provider_invalid: 'provider',
  key_secret_invalid: 'api_key_value',
  key_secret_required: 'api_key_value',
  key_model_invalid: 'model',
  model_api_base_refused: 'model_api_base',
};

/** Throws an error of the keys service about a field as a 422 at that field, without its value. Throws other errors unchanged. */
export function namingField(error: unknown): never {
  const field = error instanceof MeshError ? fields[error.reason] : undefined;
  if (field === undefined || !(error instanceof MeshError)) throw error;
  throw fieldFault(field, error.message, error.reason);
}

/** A 422 at a field of the body. */
export function fieldFault(field: string, message: string, reason?: string): InvalidRequest {
  return new InvalidRequest(
    [{ type: 'value_error', loc: ['body', field], msg: message, ctx: { error: message } }],
    reason,
  );
}

import { MeshError } from '@agentmesh/lib/rpc';
import { InvalidRequest } from '../../edge/errors/request-error.ts';

/** `subscription_<field>_invalid` */
const fieldReason = /^subscription_([a-z_]+)_invalid$/;

/** Turns an error of webhooks about a field into a 422 at that field, and throws it. Throws other errors unchanged. */
export function throwNamingField(error: unknown): never {
  if (!(error instanceof MeshError) || error.code !== 'invalid_argument') throw error;
  const [, field] = fieldReason.exec(error.reason) ?? [];
  if (field === undefined) throw error;
  const { message, reason } = error;
  throw new InvalidRequest(
    [{ type: 'value_error', loc: ['body', field], msg: message, ctx: { error: message } }],
    reason,
  );
}

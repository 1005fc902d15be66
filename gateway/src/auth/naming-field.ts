import { MeshError } from '@agentmesh/lib/rpc';
import { InvalidRequest } from '../edge/errors/request-error.ts';

const reasonFields: Readonly<Record<string, string>> = {
  email_invalid: 'email',
  password_invalid: 'password',
  // The gateway has checked the other fields of a token, and the scopes of a program.
  personal_token_invalid: 'name',
};
const textFields = ['first_name', 'last_name', 'username', 'full_name', 'avatar_url'];

/**
 * Turns an error of auth about a field of the body into a 422 at that field. Returns other errors unchanged. `renamed` maps names
 * of auth to names of the body.
 */
export function namingField(error: unknown, renamed: Readonly<Record<string, string>> = {}): unknown {
  if (!(error instanceof MeshError) || error.code !== 'invalid_argument') return error;
  const field = reasonFields[error.reason] ?? (error.reason === 'text_invalid' ? fieldIn(error.message) : undefined);
  if (field === undefined) return error;
  const { message, reason } = error;
  return new InvalidRequest(
    [{ type: 'value_error', loc: ['body', renamed[field] ?? field], msg: message, ctx: { error: message } }],
    reason,
  );
}

/** Field that auth names in the message of an invalid text. */
function fieldIn(message: string): string | undefined {
  const names = message.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return textFields.find((field) => names.includes(field));
}

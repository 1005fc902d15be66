import { MeshError } from '@agentmesh/lib/rpc';
import { InvalidRequest } from '../../edge/errors/request-error.ts';

const reasonFields: Readonly<Record<string, string>> = { email_invalid: 'email', password_invalid: 'password' };
const textFields = ['first_name', 'last_name', 'username', 'full_name', 'avatar_url'];

/** What the accounts' own rules refuse, as a 422 at the field; any other error as it is. `renamed`: fields of another name here. */
export function namingField(error: unknown, renamed: Readonly<Record<string, string>> = {}): unknown {
  if (!(error instanceof MeshError) || error.code !== 'invalid_argument') return error;
  const field = reasonFields[error.reason] ?? (error.reason === 'text_invalid' ? fieldIn(error.message) : undefined);
  if (field === undefined) return error;
  return new InvalidRequest([
    { type: 'value_error', loc: ['body', renamed[field] ?? field], msg: error.message, ctx: { error: error.message } },
  ]);
}

/** The accounts service names the field of a bad text in its message. */
function fieldIn(message: string): string | undefined {
  const names = message.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return textFields.find((field) => names.includes(field));
}

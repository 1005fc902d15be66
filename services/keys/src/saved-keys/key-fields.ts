import { type AddressPolicy, checkApiBase, OutboundError } from '@agentmesh/lib/outbound';
import { keyFieldInvalid, type KeyField } from '../errors.ts';

const [shortestSecret, longestSecret] = [4, 500];
const longestName = 100;
const longestProvider = 100;
const longestModel = 200;

/** Trims a key's name. Throws `key_name_invalid` unless 1 to 100 characters are left, none of them a control character. */
export function readName(text: string): string {
  const name = text.trim();
  const length = charactersOf(name);
  if (length < 1 || length > longestName) throw fault('name', `has 1 to ${longestName} characters`);
  return withoutControls('name', name);
}

/** Returns the provider in lower case. Throws `key_provider_invalid` when it is too long or contains a control character. */
export function readProvider(text: string): string {
  const provider = text.trim().toLowerCase();
  if (charactersOf(provider) > longestProvider) throw fault('provider', `has at most ${longestProvider} characters`);
  return withoutControls('provider', provider);
}

/** Returns the base address without blanks around it and without its last slash; empty for none. Throws `model_api_base_refused`. */
export function readBase(text: string, policy: AddressPolicy): string {
  if (text.trim() === '') return '';
  try {
    return checkApiBase(text.trim(), policy);
  } catch (error) {
    throw error instanceof OutboundError ? keyFieldInvalid('model_api_base', error.message) : error;
  }
}

/** Returns the secret unchanged. Throws `key_secret_invalid` for a length or a character that no provider's key has. */
export function readSecret(secret: string): string {
  const length = charactersOf(secret);
  if (length < shortestSecret || length > longestSecret) {
    throw fault('secret', `has ${shortestSecret} to ${longestSecret} characters`);
  }
  // The key is sent in a header, and no provider has keys with other characters.
  if (!/^[ -~]*$/.test(secret)) throw fault('secret', 'contains only printable ASCII characters');
  return secret;
}

/** Trims a model's name. Throws `key_model_invalid` when it is too long or contains a control character. */
export function readModel(text: string): string {
  const model = text.trim();
  if (charactersOf(model) > longestModel) throw fault('model', `has at most ${longestModel} characters`);
  return withoutControls('model', model);
}

/** The message never quotes the text, which may be a secret. */
function withoutControls(field: KeyField, text: string): string {
  if (/\p{Cc}/u.test(text) || !text.isWellFormed()) throw fault(field, 'contains no control characters');
  return text;
}

function fault(field: KeyField, rule: string): Error {
  return keyFieldInvalid(field, `The ${field} of a key ${rule}.`);
}

/** Code points. */
function charactersOf(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

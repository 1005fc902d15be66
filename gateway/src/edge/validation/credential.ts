/** Names of fields that hold a password, a token or a key; lower case, without `_` and `-`. */
const credentialNames = new Set([
  'password',
  'newpassword',
  'passwd',
  'secret',
  'clientsecret',
  'token',
  'accesstoken',
  'refreshtoken',
  'idtoken',
  'apikey',
  'apikeyvalue',
  'modelapikey',
  'privatekey',
  'privatekeyid',
  'authcode',
  'codeverifier',
  'consentnonce',
  'useridvalidationstate',
  'authresponseuri',
  'authorization',
  'additionalheaders',
]);

export function isCredentialName(name: string | number | undefined): boolean {
  return typeof name === 'string' && credentialNames.has(name.replaceAll(/[_-]/g, '').toLowerCase());
}

const assignment = new RegExp(`(?:${[...credentialNames].join('|')})["'\\\\]*\\s*[=:]`, 'i');

/** Whether a text contains a credential, as in `password=abc` or `{"api_key":"abc"}`. */
function spellsCredential(text: string): boolean {
  return assignment.test(text.replaceAll(/[_-]/g, ''));
}

/** Whether a value is a text that contains a credential, or has a field with such a name at any depth. */
export function holdsCredential(value: unknown): boolean {
  return typeof value === 'string' ? spellsCredential(value) : hasCredentialField(value);
}

function hasCredentialField(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasCredentialField);
  return Object.entries(value).some(([key, child]) => isCredentialName(key) || hasCredentialField(child));
}

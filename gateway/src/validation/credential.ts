/** Names of fields that hold a password, a token or a key, in lower case without `_` and `-`. */
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
  'privatekey',
  'privatekeyid',
  'authcode',
  'codeverifier',
  'authresponseuri',
  'authorization',
  'additionalheaders',
]);

export function isCredentialName(name: string | number | undefined): boolean {
  return typeof name === 'string' && credentialNames.has(name.replaceAll(/[_-]/g, '').toLowerCase());
}

/** Whether a JSON value has a field with a credential's name at any depth. */
export function holdsCredential(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsCredential);
  return Object.entries(value).some(([key, child]) => isCredentialName(key) || holdsCredential(child));
}

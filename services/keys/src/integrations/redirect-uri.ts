import { redirectUriInvalid } from './errors.ts';

const longest = 2_048;

/**
 * Returns a redirect URI. Throws `redirect_uri_invalid` unless it is an http or https address without credentials and fragment.
 * The provider accepts only those that are registered with it. A code that another page gets is of no use there: the code verifier
 * (RFC 7636) stays here, and the state belongs to the account that started the connection.
 */
export function checkRedirectUri(text: string): string {
  const url = text.length <= longest ? URL.parse(text) : null;
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  if (!isPlain || text.includes('#')) throw redirectUriInvalid();
  return text;
}

import type { Config } from '../config.ts';
import { redirectUriInvalid } from './errors.ts';

const longest = 2_048;

/**
 * Returns a redirect URI. Throws `redirect_uri_invalid` unless its origin is that of the front end or of this API, or one that may
 * call this API from a browser. Elsewhere, the code of a consent page would be given to somebody else's page.
 */
export function checkRedirectUri(config: Config, text: string): string {
  const url = text.length <= longest ? URL.parse(text) : null;
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  if (!isPlain || text.includes('#') || !ownOrigins(config).has(url.origin)) throw redirectUriInvalid();
  return text;
}

function ownOrigins({ APP_PUBLIC_URL, PUBLIC_BASE_URL, HOST, PORT, CORS_ALLOWED_ORIGINS }: Config): Set<string> {
  const own = PUBLIC_BASE_URL ?? `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${PORT}`;
  const texts = [APP_PUBLIC_URL ?? own, own, ...CORS_ALLOWED_ORIGINS];
  // `*` is no address, so it permits nothing here.
  return new Set(texts.map((text) => URL.parse(text)?.origin).filter((origin) => origin !== undefined));
}

/** An SMTP server. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte. */
  readonly secure: boolean;
  /** Refuses to go on without TLS. */
  readonly requireTLS: boolean;
  readonly auth?: { readonly user: string; readonly pass: string };
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Parses `smtp://user:pass@host:port` or `smtps://…`. STARTTLS is required, except for a loopback host or with `?requireTLS=false`.
 * Undefined for any other text.
 */
export function parseSmtpUrl(text: string): SmtpServer | undefined {
  const url = URL.parse(text.trim());
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === '' || !/^\/?$/.test(url.pathname))
    return undefined;
  const given = url.searchParams.get('requireTLS');
  const unknown = [...url.searchParams.keys()].some((name) => name !== 'requireTLS');
  if (unknown || ![null, 'true', 'false'].includes(given)) return undefined;
  const auth = credentialsOf(url);
  if (auth === null) return undefined;
  const secure = url.protocol === 'smtps:';
  const port = url.port === '' ? (secure ? 465 : 587) : Number(url.port);
  const requireTLS = !secure && (given === null ? !loopback.test(url.hostname) : given === 'true');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return { host, port, secure, requireTLS, ...(auth && { auth }) };
}

/** Null when they are not valid percent-encoding. */
function credentialsOf({ username, password }: URL): SmtpServer['auth'] | null {
  if (username === '' && password === '') return undefined;
  try {
    return { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  } catch {
    return null;
  }
}

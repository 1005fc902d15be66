/** Where and how mail is handed over. */
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
 * Reads `smtp://user:pass@host:port` or `smtps://…`. STARTTLS is demanded of every host but this machine itself;
 * `?requireTLS=false` gives that up. Undefined for anything else.
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

/** Null where they are not readable. */
function credentialsOf({ username, password }: URL): SmtpServer['auth'] | null {
  if (username === '' && password === '') return undefined;
  try {
    return { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  } catch {
    return null;
  }
}

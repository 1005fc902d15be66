import { type Call, insist, Refused, type Reply } from '../upstream/index.ts';
import { graphError, invalidRequest } from './graph-error.ts';
import type { Mailbox, World } from './world.ts';

const mostAtOnce = 4;

/** The mailbox that the access token of a call belongs to. `scope` is a permission that the token must have. */
export function mailboxOf(world: World, { headers }: Call, scope: string): Mailbox {
  const bearer = world.authorization.bearer(headers.authorization);
  const challenge = { 'www-authenticate': 'Bearer realm="", authorization_uri="https://login.microsoftonline.com"' };
  if (bearer === 'unknown')
    throw new Refused(graphError(401, 'InvalidAuthenticationToken', 'JWT is not well formed.', challenge));
  if (bearer === 'expired')
    throw new Refused(
      graphError(401, 'InvalidAuthenticationToken', 'Lifetime validation failed, the token is expired.', challenge),
    );
  const names = bearer.scopes.map((name) => name.replace('https://graph.microsoft.com/', ''));
  insist(names.includes(scope), () =>
    graphError(403, 'ErrorAccessDenied', 'Access is denied. Check credentials and try again.'),
  );
  return world.mailboxOf(bearer.user.address);
}

/** Serves a call on a mailbox. Graph serves at most four of an application and a mailbox at the same time. */
export async function inMailbox(mailbox: Mailbox, serve: () => Reply | Promise<Reply>): Promise<Reply> {
  const message = 'Application is over its MailboxConcurrency limit.';
  insist(mailbox.open < mostAtOnce, () => graphError(429, 'ApplicationThrottled', message, { 'retry-after': '1' }));
  mailbox.open += 1;
  try {
    return await serve();
  } finally {
    mailbox.open -= 1;
  }
}

/** The JSON object of a request. */
export function bodyOf({ headers, body }: Call): Readonly<Record<string, unknown>> {
  insist(headers['content-type']?.startsWith('application/json') === true, () =>
    graphError(415, 'UnsupportedMediaType', 'The content type is not supported.'),
  );
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // refused below
  }
  throw new Refused(graphError(400, 'BadRequest', 'Unable to read JSON request payload.'));
}

/** Whether a call asks for immutable ids, and for bodies as text. */
export function preferencesOf({ headers }: Call): { isImmutable: boolean; isText: boolean; pageSize: number } {
  const prefer = String(headers.prefer ?? '');
  return {
    isImmutable: /IdType\s*=\s*"?ImmutableId"?/.test(prefer),
    isText: /outlook\.body-content-type\s*=\s*"?text"?/.test(prefer),
    pageSize: Number(/odata\.maxpagesize\s*=\s*(\d+)/.exec(prefer)?.[1] ?? '10'),
  };
}

/** The id of a folder that a path names by id or by a well-known name, e.g. `inbox`. */
export function folderOf(mailbox: Mailbox, text: string): string {
  for (const [name, id] of mailbox.folders) if (text === id || text.toLowerCase() === name.toLowerCase()) return id;
  throw new Refused(graphError(404, 'ErrorItemNotFound', 'The specified object was not found in the store.'));
}

/** Refuses a query option that the fake does not know. */
export function knowOnly(query: URLSearchParams, known: readonly string[]): void {
  const unknown = Array.from(query.keys()).find((key) => !known.includes(key));
  insist(unknown === undefined, () => invalidRequest(`The query option ${unknown} is not known to the fake.`));
}

import { type Call, insist, Refused } from '../upstream/index.ts';
import { googleError, notFound } from './google-error.ts';
import type { Mailbox, World } from './world.ts';

const full = 'https://mail.google.com/';
const readonly = 'https://www.googleapis.com/auth/gmail.readonly';

/** The mailbox of a call. `owner` is the part of the path that names it: `me` or its address. */
export function mailboxOf(world: World, { headers }: Call, owner: string): Mailbox {
  const bearer = world.authorization.bearer(headers.authorization);
  insist(typeof bearer === 'object', () => {
    const error = {
      message: 'Invalid Credentials',
      domain: 'global',
      reason: 'authError',
      location: 'Authorization',
      locationType: 'header',
    };
    return {
      status: 401,
      body: { error: { code: 401, message: 'Invalid Credentials', errors: [error], status: 'UNAUTHENTICATED' } },
    };
  });
  insist(bearer.scopes.includes(readonly) || bearer.scopes.includes(full), () =>
    googleError(403, 'insufficientPermissions', 'Request had insufficient authentication scopes.'),
  );
  insist(owner === 'me' || owner.toLowerCase() === bearer.user.address.toLowerCase(), () =>
    googleError(403, 'forbidden', `Delegation denied for ${bearer.user.address}`),
  );
  return world.mailboxOf(bearer.user.address);
}

/** The JSON object of a request. */
export function bodyOf({ body }: Call): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // refused below
  }
  throw new Refused(googleError(400, 'badRequest', 'Invalid JSON payload received.'));
}

/** Refuses query parameters that the fake does not know. `alt` and `prettyPrint` belong to every method. */
export function knowOnly(query: URLSearchParams, known: readonly string[]): void {
  const unknown = Array.from(query.keys()).find((key) => ![...known, 'alt', 'prettyPrint'].includes(key));
  insist(unknown === undefined, () =>
    googleError(400, 'invalidParameter', `The fake does not know the parameter ${unknown}.`),
  );
}

/** A page of a list, and the token of the next one. `most` bounds the size of a page. */
export function pageOf<Item>(
  items: readonly Item[],
  { query }: Call,
  most = 500,
): { page: readonly Item[]; next: string | undefined } {
  const start = Number(query.get('pageToken') ?? '0');
  insist(Number.isInteger(start) && start >= 0, () => googleError(400, 'invalidArgument', 'Invalid pageToken'));
  const end = start + Math.min(Number(query.get('maxResults') ?? '100'), most);
  return { page: items.slice(start, end), next: end < items.length ? String(end) : undefined };
}

/** A label that must exist. */
export function checkLabel({ labels }: Mailbox, id: string): void {
  insist(Array.from(labels.values()).includes(id), () => googleError(400, 'invalidArgument', `Invalid label: ${id}`));
}

/** An entity, or the vendor's 404. */
export function found<Item>(item: Item | undefined): Item {
  if (item === undefined) throw new Refused(notFound());
  return item;
}

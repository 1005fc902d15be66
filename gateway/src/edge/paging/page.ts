import type { FastifyReply } from 'fastify';
import { InvalidRequest } from '../errors/request-error.ts';
import { type CursorField, printCursor, readCursor } from './cursor.ts';

/** A requested page. */
export interface Page {
  readonly limit: number;
  readonly newestFirst: boolean;
  /** Fields of the place after which the page begins; undefined for the first page. */
  readonly after: readonly unknown[] | undefined;
  /** The same place as the cursor that was sent. */
  readonly cursor: string;
}

const defaultLimit = 100;
/** The largest number of a list whose service counts in 32 bits. */
const mostInt32 = 2 ** 31 - 1;

/** Asks for a page by the parameters of its query. */
interface PageWish {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  readonly order?: 'asc' | 'desc' | undefined;
}

/** Whether a query asks for a page instead of the whole list. */
export function asksForPage({ limit, cursor, order }: PageWish): boolean {
  return limit !== undefined || cursor !== undefined || order !== undefined;
}

/** Reads the requested page. `list` names the list that cursors are bound to. Throws InvalidRequest. */
export function pageOf(list: readonly string[], { limit = defaultLimit, cursor, order }: PageWish): Page {
  if (cursor === undefined) return { limit, newestFirst: order === 'desc', after: undefined, cursor: '' };
  const [newestFirst, ...after] = readCursor(list, cursor) ?? [];
  if (typeof newestFirst !== 'boolean') throw cursorFault(cursor, 'the cursor is not one of this list');
  if (order !== undefined && newestFirst !== (order === 'desc')) {
    throw cursorFault(cursor, 'the cursor is one of the other order');
  }
  return { limit, newestFirst, after, cursor };
}

/**
 * Number of the entry after which the page begins, for lists that number their entries from 1 to `most`; 0 for the first page. Throws
 * InvalidRequest.
 */
export function numberBefore({ after, cursor }: Page, most = mostInt32): number {
  if (after === undefined) return 0;
  const [number] = after;
  if (typeof number === 'number' && Number.isInteger(number) && number > 0 && number <= most) return number;
  throw noPlace(cursor);
}

/** Id of the entry after which the page begins; empty for the first page. Throws InvalidRequest. */
export function idBefore({ after, cursor }: Page): string {
  if (after === undefined) return '';
  const [id] = after;
  if (typeof id === 'string') return id;
  throw noPlace(cursor);
}

/** Error for a cursor whose fields are no place of its list. */
export function noPlace(cursor: string): InvalidRequest {
  return cursorFault(cursor, 'the cursor names no place');
}

/** Sets the headers that name the next page. `Link` is relative to the present address, and keeps its filters. */
export function addNextPage(
  reply: FastifyReply,
  { list, page, last }: { list: readonly string[]; page: Page; last: readonly CursorField[] },
): void {
  const cursor = printCursor(list, [page.newestFirst, ...last]);
  // The text of a filter may have question marks of its own.
  const query = new URLSearchParams(reply.request.url.split('?').slice(1).join('?'));
  query.set('limit', String(page.limit));
  query.set('cursor', cursor);
  reply.header('x-next-cursor', cursor).header('link', `<?${query.toString()}>; rel="next"`);
}

/** Error of a cursor, in the form of every other invalid parameter. */
function cursorFault(cursor: string, error: string): InvalidRequest {
  const msg = `Value error, ${error}`;
  return new InvalidRequest([{ type: 'value_error', loc: ['query', 'cursor'], msg, input: cursor, ctx: { error } }]);
}

import type { FastifyReply } from 'fastify';
import { InvalidRequest } from '../errors/request-error.ts';
import { type CursorField, printCursor, readCursor } from './cursor.ts';
import type { PageQuery } from './page-query.ts';

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

/** Whether a query asks for a page instead of the whole list. */
export function asksForPage({ limit, cursor, order }: PageQuery): boolean {
  return limit !== undefined || cursor !== undefined || order !== undefined;
}

/** Reads the requested page. `list` names the list that cursors are bound to. Throws InvalidRequest. */
export function pageOf(list: readonly string[], { limit = defaultLimit, cursor, order }: PageQuery): Page {
  if (cursor === undefined) return { limit, newestFirst: order === 'desc', after: undefined, cursor: '' };
  const [newestFirst, ...after] = readCursor(list, cursor) ?? [];
  if (typeof newestFirst !== 'boolean') throw cursorFault(cursor, 'the cursor is not one of this list');
  if (order !== undefined && newestFirst !== (order === 'desc')) {
    throw cursorFault(cursor, 'the cursor is one of the other order');
  }
  return { limit, newestFirst, after, cursor };
}

/**
 * Number of the entry after which the page begins, for lists that number their entries from 1; 0 for the first page. Throws
 * InvalidRequest.
 */
export function numberBefore({ after, cursor }: Page): number {
  if (after === undefined) return 0;
  const [number] = after;
  if (typeof number === 'number' && Number.isInteger(number) && number > 0 && number < 2 ** 31) return number;
  throw noPlace(cursor);
}

/** Error for a cursor whose fields are no place of its list. */
export function noPlace(cursor: string): InvalidRequest {
  return cursorFault(cursor, 'the cursor names no place');
}

/** Sets the headers that name the next page. `Link` is relative to the present address. */
export function addNextPage(
  reply: FastifyReply,
  { list, page, last }: { list: readonly string[]; page: Page; last: readonly CursorField[] },
): void {
  const cursor = printCursor(list, [page.newestFirst, ...last]);
  reply.header('x-next-cursor', cursor).header('link', `<?limit=${page.limit}&cursor=${cursor}>; rel="next"`);
}

/** Error of a cursor, in the form of every other invalid parameter. */
function cursorFault(cursor: string, error: string): InvalidRequest {
  const msg = `Value error, ${error}`;
  return new InvalidRequest([{ type: 'value_error', loc: ['query', 'cursor'], msg, input: cursor, ctx: { error } }]);
}

import type { FastifyReply } from 'fastify';
import { InvalidRequest } from '../errors/request-error.ts';
import { type CursorField, printCursor, readCursor } from './cursor.ts';
import type { PageQuery } from './page-query.ts';

/** A page that was asked for. */
export interface Page {
  readonly limit: number;
  readonly newestFirst: boolean;
  /** Fields of the place behind which it begins; undefined: at the first. */
  readonly after: readonly unknown[] | undefined;
  /** The cursor that says so, as it was sent. */
  readonly cursor: string;
}

const defaultLimit = 100;

/** Whether a query asks for a page, where without one the whole list is answered. */
export function asksForPage({ limit, cursor, order }: PageQuery): boolean {
  return limit !== undefined || cursor !== undefined || order !== undefined;
}

/** The page that a query asks for. `list` names the list, which its cursors are bound to. Throws InvalidRequest. */
export function pageOf(list: readonly string[], { limit = defaultLimit, cursor, order }: PageQuery): Page {
  if (cursor === undefined) return { limit, newestFirst: order === 'desc', after: undefined, cursor: '' };
  const [newestFirst, ...after] = readCursor(list, cursor) ?? [];
  if (typeof newestFirst !== 'boolean') throw cursorFault(cursor, 'the cursor is not one of this list');
  if (order !== undefined && newestFirst !== (order === 'desc')) {
    throw cursorFault(cursor, 'the cursor is one of the other order');
  }
  return { limit, newestFirst, after, cursor };
}

/** Behind which entry a page of a list begins whose entries are numbered from 1; 0: at the first. Throws InvalidRequest. */
export function numberBefore({ after, cursor }: Page): number {
  if (after === undefined) return 0;
  const [number] = after;
  if (typeof number === 'number' && Number.isInteger(number) && number > 0 && number < 2 ** 31) return number;
  throw noPlace(cursor);
}

/** The fields of a cursor cannot be a place of its list. */
export function noPlace(cursor: string): InvalidRequest {
  return cursorFault(cursor, 'the cursor names no place');
}

/** Says where the next page begins. Its address is relative to that of this one. */
export function addNextPage(
  reply: FastifyReply,
  { list, page, last }: { list: readonly string[]; page: Page; last: readonly CursorField[] },
): void {
  const cursor = printCursor(list, [page.newestFirst, ...last]);
  reply.header('x-next-cursor', cursor).header('link', `<?limit=${page.limit}&cursor=${cursor}>; rel="next"`);
}

/** What is wrong with a cursor, in the form of every other wrong parameter. */
function cursorFault(cursor: string, error: string): InvalidRequest {
  const msg = `Value error, ${error}`;
  return new InvalidRequest([{ type: 'value_error', loc: ['query', 'cursor'], msg, input: cursor, ctx: { error } }]);
}

import type { FastifyReply } from 'fastify';
import type { PageQuery } from '../schemas/page.ts';
import { type CursorField, printCursor, readCursor } from './cursor.ts';
import { InvalidRequest } from './request-error.ts';

/** A page that was asked for. */
export interface Page {
  readonly limit: number;
  readonly newestFirst: boolean;
  /** Fields of the place behind which it begins; undefined: at the first. */
  readonly after: readonly unknown[] | undefined;
}

const defaultLimit = 100;

/** The page that a query asks for, undefined for the whole list. `list` names the list, which its cursors are bound to. */
export function pageOf(list: readonly string[], { limit, cursor, order }: PageQuery): Page | undefined {
  if (limit === undefined && cursor === undefined && order === undefined) return undefined;
  const page = { limit: limit ?? defaultLimit };
  if (cursor === undefined) return { ...page, newestFirst: order === 'desc', after: undefined };
  const [newestFirst, ...after] = readCursor(list, cursor) ?? [];
  if (typeof newestFirst !== 'boolean') throw cursorFault(cursor, 'the cursor is not one of this list');
  if (order !== undefined && newestFirst !== (order === 'desc')) {
    throw cursorFault(cursor, 'the cursor is one of the other order');
  }
  return { ...page, newestFirst, after };
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
export function cursorFault(cursor: string, error: string): InvalidRequest {
  const msg = `Value error, ${error}`;
  return new InvalidRequest([{ type: 'value_error', loc: ['query', 'cursor'], msg, input: cursor, ctx: { error } }]);
}

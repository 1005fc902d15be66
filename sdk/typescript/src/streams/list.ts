import type { Call, CallOptions } from '../transport/call.ts';
import type { Transport } from '../transport/transport.ts';

/** Part of a list. `next` is the cursor of the part behind it; undefined on the last. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | undefined;
}

/**
 * A list on the server. `for await` reads it page by page, `page` one page, `all` everything.
 *
 * @example
 * ```ts
 * for await (const run of mesh.runs.list({ status: 'failed' })) console.log(run.invocationId);
 * console.log((await mesh.agents.list().page()).next); // undefined
 * ```
 */
export class List<T> implements AsyncIterable<T> {
  readonly #read: (cursor: string | undefined) => Promise<Page<T>>;

  constructor(read: (cursor: string | undefined) => Promise<Page<T>>) {
    this.#read = read;
  }

  /** The page behind a cursor; the first one without. */
  page(cursor?: string): Promise<Page<T>> {
    return this.#read(cursor);
  }

  /** All entries. */
  async all(): Promise<T[]> {
    const items: T[] = [];
    for await (const item of this) items.push(item);
    return items;
  }

  /** The entries, page by page. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    let cursor: string | undefined;
    do {
      const { items, next } = await this.#read(cursor);
      yield* items;
      cursor = next;
    } while (cursor !== undefined);
  }
}

/** Options of lists with cursors. */
export interface ListOptions extends Pick<CallOptions, 'signal'> {
  /** Entries of a page, at most 500. */
  readonly limit?: number | undefined;
}

/** A list whose pages are arrays, with the next cursor in a header. `itemsOf` takes them from a body of another form. */
export function listOf<T>(transport: Transport, call: Call, itemsOf?: (body: never) => readonly T[]): List<T> {
  return new List((cursor) =>
    transport.send({ ...call, query: { ...call.query, cursor } }, async (response) => {
      const body: unknown = await response.json();
      const items = itemsOf === undefined ? (body as readonly T[]) : itemsOf(body as never);
      return { items, next: response.headers.get('x-next-cursor') ?? undefined };
    }),
  );
}

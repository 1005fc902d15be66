import type { Context } from '../context.ts';
import { notConfigured } from '../errors.ts';
import { keyParameters, limitOf } from '../memory-key.ts';
import { search } from '../search/search.ts';
import { findPartition } from '../store/partitions.ts';
import { toWireEntry } from '../wire-entry.ts';
import type { Handlers } from './handlers.ts';

const limits = { standard: 10, most: 500 };

/** Answers the entries that match a query, best first. */
export function searchMemory(context: Context): Handlers['searchMemory'] {
  return async ({ memory, query, limit: asked }) => {
    if (!context.enabled) throw notConfigured();
    const key = keyParameters(memory);
    const limit = limitOf(asked, limits);
    const partition = key && (await findPartition(context.db, key));
    if (partition === undefined) return {};
    const found = await search(context, partition, { query, limit });
    return { entries: found.map(toWireEntry) };
  };
}

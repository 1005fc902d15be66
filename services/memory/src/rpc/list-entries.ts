import type { Context } from '../context.ts';
import { toWireEntry } from '../wire-entry.ts';
import { invalid, notConfigured } from '../errors.ts';
import { keyParameters, limitOf } from '../memory-key.ts';
import { selectEntryPage } from '../store/entries.ts';
import { findPartition } from '../store/partitions.ts';
import type { Handlers } from './handlers.ts';

const limits = { standard: 100, most: 500 };

/** Answers one page of entries. */
export function listEntries({ enabled, db }: Context): Handlers['listEntries'] {
  return async ({ memory, sessionId, afterPlace, limit: asked }) => {
    if (!enabled) throw notConfigured();
    const key = keyParameters(memory);
    const limit = limitOf(asked, limits);
    if (afterPlace < 0) throw invalid('A place is not negative.');
    const partition = key && (await findPartition(db, key));
    if (partition === undefined || sessionId.includes('\0')) return {};
    const { entries, more } = await selectEntryPage(db, partition, { after: afterPlace, limit, sessionId });
    return { entries: entries.map(toWireEntry), nextAfterPlace: more ? (entries.at(-1)?.place ?? 0) : 0 };
  };
}

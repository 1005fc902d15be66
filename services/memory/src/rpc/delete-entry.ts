import { isUuid } from '@agentmesh/proto/uuid';
import type { Context } from '../context.ts';
import { removeTraces } from '../ingest/entry-traces.ts';
import { keyParameters } from '../memory-key.ts';
import { deleteEntryRow } from '../store/entries.ts';
import { deleteEmpty, lockPartition } from '../store/partitions.ts';
import { updateSourceToStart } from '../store/sources.ts';
import type { Handlers } from './handlers.ts';

/** Deletes one entry with its postings and its vector, also while MEMORY_ENABLED is false. */
export function deleteEntry({ db, lexicon, usage }: Context): Handlers['deleteEntry'] {
  return async ({ memory, entryId }, call) => {
    const key = keyParameters(memory);
    const id = entryId.toLowerCase();
    if (key === undefined || !isUuid(id)) return { deleted: 0 };
    const gone = await db.within(call).transaction(async (tx) => {
      const partition = await lockPartition(tx, key);
      const removed = partition && (await deleteEntryRow(tx, partition, id));
      if (partition === undefined || removed === undefined) return { deleted: 0 };
      await removeTraces(tx, partition, { entries: [removed], lexicon });
      await updateSourceToStart(tx, partition, removed.sessionId);
      await deleteEmpty(tx, partition, removed.sessionId);
      return { deleted: 1 };
    });
    if (gone.deleted > 0) usage.add(key[0], { entries: -gone.deleted });
    return gone;
  };
}

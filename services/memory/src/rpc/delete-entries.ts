import type { Context } from '../context.ts';
import { removeSession } from '../ingest/remove-session.ts';
import { keyParameters } from '../memory-key.ts';
import { deletePartitionRows } from '../store/erasure.ts';
import { deleteEmpty, lockPartition } from '../store/partitions.ts';
import type { Handlers } from './handlers.ts';

/** Deletes all entries of a session, or of the user, also while MEMORY_ENABLED is false. */
export function deleteEntries({ db, lexicon, usage }: Context): Handlers['deleteEntries'] {
  return async ({ memory, sessionId }, call) => {
    const key = keyParameters(memory);
    if (key === undefined || sessionId.includes('\0')) return { deleted: 0 };
    const gone = await db.within(call).transaction(async (tx) => {
      const partition = await lockPartition(tx, key);
      if (partition === undefined) return { deleted: 0 };
      const isAll = sessionId === '';
      const deleted = isAll
        ? await deletePartitionRows(tx, partition)
        : await removeSession(tx, partition, { sessionId, lexicon });
      await deleteEmpty(tx, partition, sessionId);
      return { deleted };
    });
    if (gone.deleted > 0) usage.add(key[0], { entries: -gone.deleted });
    return gone;
  };
}

import type { Context } from '../context.ts';
import { removeSession } from '../ingest/remove-session.ts';
import { keyParameters } from '../memory-key.ts';
import { emptyPartition } from '../store/erasure.ts';
import { lockPartition } from '../store/partitions.ts';
import { forgetSource } from '../store/sources.ts';
import type { MemoryRpc } from './index.ts';

/** Deletes all entries of a session, or of the user, also where the memory is switched off. */
export function deleteEntries({ db, lexicon }: Context): MemoryRpc['deleteEntries'] {
  return async ({ memory, sessionId }) => {
    const key = keyParameters(memory);
    if (key === undefined || sessionId.includes('\0')) return { deleted: 0 };
    return db.transaction(async (tx) => {
      const partition = await lockPartition(tx, key);
      if (partition === undefined) return { deleted: 0 };
      if (sessionId === '') return { deleted: await emptyPartition(tx, partition) };
      const deleted = await removeSession(tx, partition, { sessionId, lexicon });
      await forgetSource(tx, partition, sessionId);
      return { deleted };
    });
  };
}

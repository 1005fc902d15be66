import { isUuid } from '@agentmesh/proto/uuid';
import type { Context } from '../context.ts';
import { removeTraces } from '../ingest/entry-traces.ts';
import { keyParameters } from '../memory-key.ts';
import { removeEntry } from '../store/entries.ts';
import { lockPartition } from '../store/partitions.ts';
import { rewindSource } from '../store/sources.ts';
import type { MemoryRpc } from './index.ts';

/** Deletes one entry and its traces in the postings, also where the memory is switched off. */
export function deleteEntry({ db, lexicon }: Context): MemoryRpc['deleteEntry'] {
  return async ({ memory, entryId }) => {
    const key = keyParameters(memory);
    const id = entryId.toLowerCase();
    if (key === undefined || !isUuid(id)) return { deleted: 0 };
    return db.transaction(async (tx) => {
      const partition = await lockPartition(tx, key);
      const removed = partition && (await removeEntry(tx, partition, id));
      if (partition === undefined || removed === undefined) return { deleted: 0 };
      await removeTraces(tx, partition, { entries: [removed], lexicon });
      await rewindSource(tx, partition, removed.sessionId);
      return { deleted: 1 };
    });
  };
}

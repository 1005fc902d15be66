import { type Database, isStopped } from '@agentmesh/lib/pg';
import type { Context } from '../context.ts';
import { removeSession } from '../ingest/remove-session.ts';
import { type KeyParameters, keyParameters } from '../memory-key.ts';
import { deletePartitionRows } from '../store/erasure.ts';
import { deleteEmpty, lockPartition } from '../store/partitions.ts';
import type { Handlers } from './handlers.ts';

/** Deletes all entries of a session, or of the user, also while MEMORY_ENABLED is false. */
export function deleteEntries(context: Context): Handlers['deleteEntries'] {
  const { addLimit, usage } = context;
  return async ({ memory, sessionId }, call) => {
    const key = keyParameters(memory);
    if (key === undefined || sessionId.includes('\0')) return { deleted: 0 };
    const db = context.db.within(call);
    const remove = (through: Database): Promise<number> => removeEntries(context, through, { key, sessionId });
    // A long deletion waits for its turn like the adding of sessions, so that it leaves connections for others.
    const deleted = await remove(db).catch((error: unknown) => {
      if (!isStopped(error)) throw error;
      return addLimit(JSON.stringify(key), () => remove(db.forLongWork()));
    });
    if (deleted > 0) usage.add(key[0], { entries: -deleted });
    return { deleted };
  };
}

interface Named {
  readonly key: KeyParameters;
  /** Empty: all sessions of the user. */
  readonly sessionId: string;
}

function removeEntries({ lexicon }: Context, db: Database, { key, sessionId }: Named): Promise<number> {
  return db.transaction(async (tx) => {
    const partition = await lockPartition(tx, key);
    if (partition === undefined) return 0;
    const deleted =
      sessionId === ''
        ? await deletePartitionRows(tx, partition)
        : await removeSession(tx, partition, { sessionId, lexicon });
    await deleteEmpty(tx, partition, sessionId);
    return deleted;
  });
}

import type { Transaction } from '@agentmesh/lib/pg';
import { deleteSessionEntries } from '../store/entries.ts';
import type { Partition } from '../store/partitions.ts';
import type { Lexicon } from '../text/lexicon.ts';
import { removeTraces } from './entry-traces.ts';

const limit = 500;

/** Deletes all entries of a session, page by page in one transaction; how many they were. */
export async function removeSession(
  tx: Transaction,
  partition: Partition,
  { sessionId, lexicon }: { readonly sessionId: string; readonly lexicon: Lexicon },
): Promise<number> {
  for (let removed = 0; ; ) {
    const entries = await deleteSessionEntries(tx, partition, { sessionId, limit });
    if (entries.length === 0) return removed;
    await removeTraces(tx, partition, { entries, lexicon });
    removed += entries.length;
  }
}

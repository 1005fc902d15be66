import type { Jobs, NewJob } from '@agentmesh/lib/jobs';
import type { Database, Transaction } from '@agentmesh/lib/pg';
import { updateModel, selectMissing } from '../store/unembedded.ts';
import { embedEntries, type EntryBatch, mostInBatch } from './embed-entries.ts';

export interface PlacedEntry {
  readonly accountId: string;
  readonly partitionPk: bigint;
  readonly place: number;
}

/** Adds the jobs that embed these entries, in batches of one memory each. */
export async function enqueueEntries(tx: Transaction, jobs: Jobs, entries: readonly PlacedEntry[]): Promise<void> {
  const batches: NewJob<EntryBatch>[] = [];
  for (const [partitionPk, some] of Map.groupBy(entries, (entry) => entry.partitionPk)) {
    const accountId = some[0]?.accountId ?? '';
    for (let at = 0; at < some.length; at += mostInBatch) {
      const places = some.slice(at, at + mostInBatch).map(({ place }) => place);
      batches.push({ payload: { accountId, partitionPk: String(partitionPk), places } });
    }
  }
  await jobs.add(tx, embedEntries, batches);
}

/** Stores the name of the model. When it is new or has changed, adds jobs for every entry without a vector of it. */
export function settleModel(db: Database, jobs: Jobs, model: string | undefined): Promise<void> {
  return db.transaction(async (tx) => {
    if (!(await updateModel(tx, model)) || model === undefined) return;
    for (let after: PlacedEntry | undefined; ; ) {
      const missing = await selectMissing(tx, model, after);
      if (missing.length === 0) return;
      await enqueueEntries(tx, jobs, missing);
      after = missing.at(-1);
    }
  });
}

import type { CountErased } from '@agentmesh/lib/bus';
import type { Jobs } from '@agentmesh/lib/jobs';
import type { Database } from '@agentmesh/lib/pg';
import { deleteRestOfAccount, deleteSomePartitions } from './store/erasure.ts';

interface Parts {
  readonly db: Database;
  readonly jobs: Pick<Jobs, 'remove'>;
}

/** Deletes all memories of an account, fifty in each transaction, and the jobs for them. After a failure, another call goes on with those that are left. */
export async function eraseMemories({ db, jobs }: Parts, accountId: string, count: CountErased): Promise<void> {
  const long = db.forLongWork();
  await long.transaction((tx) => jobs.remove(tx, { accountId }));
  for (let left = true; left; ) {
    left = await long.transaction(async (tx) => {
      const { memories, entries } = await deleteSomePartitions(tx, accountId);
      await count(tx, { entries });
      return memories > 0;
    });
  }
  await long.transaction(async (tx) => count(tx, { entries: await deleteRestOfAccount(tx, accountId) }));
}

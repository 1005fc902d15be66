import type { CountErased } from '@agentmesh/lib/bus';
import type { Jobs } from '@agentmesh/lib/jobs';
import type { Database } from '@agentmesh/lib/pg';
import { deleteNextPartitions, deleteRestOfAccount } from './store/erasure.ts';

interface Parts {
  readonly db: Database;
  readonly jobs: Pick<Jobs, 'remove'>;
}

/** Deletes all memories of an account, fifty in each transaction, and the jobs for them. After a failure, another call goes on with those that are left. */
export async function eraseMemories({ db, jobs }: Parts, accountId: string, count: CountErased): Promise<void> {
  const long = db.forLongWork();
  await long.transaction((tx) => jobs.remove(tx, { accountId }));
  for (let last: bigint | undefined = 0n; last !== undefined; ) {
    const behind: bigint = last;
    last = await long.transaction(async (tx) => {
      const deleted = await deleteNextPartitions(tx, { accountId, behind });
      await count(tx, { entries: deleted.entries });
      return deleted.last;
    });
  }
  await long.transaction(async (tx) => count(tx, { entries: await deleteRestOfAccount(tx, accountId) }));
}

import type { Jobs } from '@agentmesh/lib/jobs';
import type { Transaction } from '@agentmesh/lib/pg';
import { deleteAccountRows } from './store/erasure.ts';

/** Deletes all memories of an account and the jobs for them. Answers how many entries there were. */
export async function eraseMemories(tx: Transaction, jobs: Jobs, accountId: string): Promise<number> {
  await jobs.remove(tx, { accountId });
  return deleteAccountRows(tx, accountId);
}

import type { Transaction } from '@agentmesh/lib/pg';

/** Every table with data of accounts. */
const tables = [
  'saved_keys',
  'limits',
  'model_calls',
  'usage_days',
  'usage_runs',
  'integrations',
  'connect_states',
] as const;

/** Deletes all rows of an account and returns how many, by table. */
export async function deleteAccountRows(tx: Transaction, accountId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const rows = await tx.query({ text: `delete from ${table} where account_id = $1 returning 1` }, [accountId]);
    counts[table] = rows.length;
  }
  return counts;
}

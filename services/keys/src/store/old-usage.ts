import { createQuery, type Queryable } from '@agentmesh/lib/pg';
import { today } from './limits.ts';

/** The next account behind `after` that has used models. */
export const nextAccountWithUsage = createQuery<{ after: string }, { account_id: string }>({
  name: 'next-account-with-usage',
  text: (param) => `select account_id from (
      (select account_id from usage_days where account_id > ${param.after} order by account_id limit 1)
      union all
      (select account_id from usage_runs where account_id > ${param.after} order by account_id limit 1)
    ) accounts order by account_id limit 1`,
});

interface OldUsage {
  readonly accountId: string;
  readonly days: number;
}

const deleteDays = createQuery<OldUsage>({
  name: 'delete-old-usage-days',
  text: (param) =>
    `delete from usage_days where account_id = ${param.accountId} and day < ${today} - ${param.days}::integer`,
});

const deleteRuns = createQuery<OldUsage>({
  name: 'delete-old-usage-runs',
  text: (param) =>
    `delete from usage_runs where account_id = ${param.accountId} and day < ${today} - ${param.days}::integer`,
});

/** Deletes the use of an account that is more than `days` old. */
export async function deleteOldUsage(db: Queryable, old: OldUsage): Promise<void> {
  await deleteDays(db, old);
  await deleteRuns(db, old);
}

import type { Job } from '@agentmesh/lib/service';
import type { Context } from '../context.ts';
import { deleteOldUsage, nextAccountWithUsage } from '../store/old-usage.ts';

const pauseMs = 3_600_000;

/** The job that deletes the use of models after the days of `KEYS_USAGE_KEEP_DAYS`. */
export function createForgetUsage(context: Pick<Context, 'db' | 'config'>): Job {
  return { pauseMs, failure: 'old usage could not be deleted, trying again', run: () => forgetUsage(context) };
}

/** Deletes what is too old now; with 0 days nothing is. */
export async function forgetUsage({ db, config }: Pick<Context, 'db' | 'config'>): Promise<void> {
  const days = config.KEYS_USAGE_KEEP_DAYS;
  if (days === 0) return;
  // The first time after the days were lowered, much may be too old.
  const long = db.forLongWork();
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const [next] = await nextAccountWithUsage(db, { after });
    if (next === undefined) return;
    after = next.account_id;
    await deleteOldUsage(long, { accountId: after, days });
  }
}

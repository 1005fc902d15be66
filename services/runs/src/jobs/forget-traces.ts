import type { Job } from '@agentmesh/lib/service';
import type { Context } from '../context.ts';
import { deleteOldTraces, findOldTraces } from '../store/traces.ts';

const pauseMs = 600_000;
const limit = 1_000;

/** Deletes the spans of runs after the days of `TRACES_KEEP_DAYS`. */
export function createForgetTraces({ db, config }: Pick<Context, 'db' | 'config'>): Job {
  const { keepDays: days } = config.traces;
  return {
    pauseMs,
    failure: 'old traces cannot be deleted, trying again',
    async run() {
      for (let found = limit; found === limit; ) {
        const old = await findOldTraces(db, { days, limit });
        found = old.length;
        for (const [accountId, runs] of Map.groupBy(old, ({ account_id }) => account_id))
          await deleteOldTraces(db, { accountId, days, invocationIds: runs.map(({ invocation_id: id }) => id) });
      }
    },
  };
}

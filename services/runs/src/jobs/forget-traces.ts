import type { Job } from '@agentmesh/lib/service';
import type { Context } from '../context.ts';
import { deleteOldRunLines, findOldRunLines } from '../store/run-logs.ts';
import { deleteOldTraces, findOldTraces } from '../store/traces.ts';

const pauseMs = 600_000;
const limit = 1_000;

const kinds = [
  [findOldTraces, deleteOldTraces],
  [findOldRunLines, deleteOldRunLines],
] as const;

/** Deletes the spans and lines of runs after the days of `TRACES_KEEP_DAYS`. */
export function createForgetTraces({ db, config }: Pick<Context, 'db' | 'config'>): Job {
  const { keepDays: days } = config.traces;
  return {
    pauseMs,
    failure: 'old traces cannot be deleted, trying again',
    async run() {
      for (const [findOld, deleteOld] of kinds)
        for (let found = limit; found === limit; ) {
          const old = await findOld(db, { days, limit });
          found = old.length;
          for (const [accountId, runs] of Map.groupBy(old, ({ account_id }) => account_id))
            await deleteOld(db, { accountId, days, invocationIds: runs.map(({ invocation_id: id }) => id) });
        }
    },
  };
}

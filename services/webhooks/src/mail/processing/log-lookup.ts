import type { Queryable } from '@agentmesh/lib/pg';
import { isUuid } from '@agentmesh/proto/uuid';
import { type RunningLog, selectRunningLogs } from '../../store/running-logs.ts';

/** A run by the names of AwaitedRunEnded. */
interface Run {
  readonly accountId: string;
  readonly invocationId: string;
}

interface Asked extends Run {
  readonly found: (logs: Promise<RunningLog[]>) => void;
}

/** Returns a function that finds the logs whose newest run is this one, while it is under way. Runs that are asked for together cost one statement. */
export function createLogLookup(db: Queryable): (run: Run) => Promise<RunningLog[]> {
  let asked: Asked[] = [];
  const ask = (): void => {
    const together = asked;
    asked = [];
    const logs = selectRunningLogs(db, together);
    for (const { accountId, invocationId, found } of together) {
      found(
        logs.then((all) => all.filter((log) => log.account_id === accountId && log.invocation_id === invocationId)),
      );
    }
  };
  return ({ accountId, invocationId }) => {
    // Ids that cannot be stored would fail the look-ups of the others.
    if (!isUuid(accountId) || invocationId.includes('\0')) return Promise.resolve([]);
    return new Promise((found) => {
      asked.push({ accountId, invocationId, found });
      if (asked.length === 1) setImmediate(ask);
    });
  };
}

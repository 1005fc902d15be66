import type { Database } from '@agentmesh/lib/pg';
import type { Metrics } from '@agentmesh/lib/telemetry';
import { withinDeadline } from '@agentmesh/lib/wait';
import { countUnfinished, type UnfinishedRuns } from './store/ledger/unfinished-runs.ts';

const statuses = ['queued', 'granted', 'running', 'cancelling', 'waiting'];
const timeoutMs = 2_000;

/** Tells how many runs of all accounts have not ended, and the age of the oldest, when the metrics of the process are read. They tell the last numbers while the database does not answer. */
export function gaugeRuns(metrics: Metrics, db: Database): void {
  const labelNames = ['status'] as const;
  const oldest = metrics.gauge({
    name: 'agentmesh_runs_oldest_seconds',
    help: 'Age of the oldest run of all accounts that has not ended, by status.',
    labelNames,
  });
  metrics.gauge({
    name: 'agentmesh_runs_unfinished',
    help: 'Runs of all accounts that have not ended, by status. Each process of sessions tells the same number.',
    labelNames,
    collect: async (gauge) => {
      const rows = await withinDeadline(countUnfinished(db, {}), timeoutMs, () => undefined).catch(() => undefined);
      if (rows === undefined) return;
      const found = new Map(rows.map((row): [string, UnfinishedRuns] => [row.status, row]));
      for (const status of new Set([...statuses, ...found.keys()])) {
        gauge.set({ status }, found.get(status)?.number ?? 0);
        oldest.set({ status }, found.get(status)?.seconds ?? 0);
      }
    },
  });
}

export function countTakenOver(metrics: Metrics): { inc(): void } {
  return metrics.counter({
    name: 'agentmesh_leases_taken_over_total',
    help: 'Runs whose executor had stopped, and that another one has gone on with.',
  });
}

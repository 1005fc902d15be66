import type { Metrics } from '@agentmesh/lib/telemetry';
import type { Running } from './running.ts';

const waits = ['model', 'keys', 'artifact', 'lease'] as const;

/** Counts the runs of this process when its metrics are read. */
export function gaugeRuns(metrics: Metrics, { executor, waiting }: Pick<Running, 'executor' | 'waiting'>): void {
  metrics.gauge({
    name: 'agentmesh_runs_executed',
    help: 'Runs that this process executes',
    collect: (gauge) => gauge.set(executor.running),
  });
  metrics.gauge({
    name: 'agentmesh_runs_queued',
    help: 'Runs that this process has accepted and not started',
    collect: (gauge) => gauge.set(waiting.size),
  });
  metrics.gauge({
    name: 'agentmesh_runs_waiting',
    help: 'Runs that this process executes by what they wait for at this moment',
    labelNames: ['on'],
    collect: (gauge) => {
      const counts = new Map<string, number>();
      for (const attempt of executor.attempts()) {
        const on = attempt.waits.longest?.on;
        if (on !== undefined) counts.set(on, (counts.get(on) ?? 0) + 1);
      }
      for (const on of waits) gauge.set({ on }, counts.get(on) ?? 0);
    },
  });
}

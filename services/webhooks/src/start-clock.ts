import type { Queryable } from '@agentmesh/lib/pg';
import { type Host, startJob } from '@agentmesh/lib/service';
import { DatabaseClock } from './clock.ts';

/** Measures the database's clock now and every 5 s. */
export async function startClock(
  host: Pick<Host, 'log' | 'metrics' | 'draining' | 'resources'>,
  db: Queryable,
): Promise<DatabaseClock> {
  const clock = new DatabaseClock();
  const ahead = host.metrics.gauge({
    name: 'webhooks_clock_ahead_seconds',
    help: "Seconds by which the machine's clock is ahead of the database's.",
  });
  const run = async (): Promise<void> => {
    await clock.measure(db);
    ahead.set(clock.machineAheadMs / 1_000);
  };
  await run();
  host.resources.use(startJob({ pauseMs: 5_000, failure: "the database's clock cannot be measured", run }, host));
  return clock;
}

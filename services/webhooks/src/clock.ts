import type { Queryable } from '@agentmesh/lib/pg';
import { type Host, startJob } from '@agentmesh/lib/service';

/** Source of the time. Every time in the database of this service comes from it, so that a simulation can drive months in seconds. */
export interface Clock {
  now(): Date;
}

/** Difference in milliseconds between the clocks of this machine and the database that is told. */
const mostDifferenceMs = 5_000;
/** An answer that took longer says little about the time at which it was made. */
const longestMs = 1_000;

/**
 * The database's clock. Replicas whose machines have different clocks write and read the same times. It is measured when the service starts and every few
 * seconds, and goes on with the monotonic clock in between: steps of the machine's clock do not change it.
 */
export class DatabaseClock implements Clock {
  /** Time of the database minus performance.now(). */
  #offsetMs = 0;
  #isMeasured = false;

  now(): Date {
    return new Date(this.#offsetMs + performance.now());
  }

  /** Asks the database for the time. Rejects when it does not answer. */
  async measure(db: Queryable): Promise<void> {
    const askedMs = performance.now();
    const [row] = await db.query<{ ms: number }>({
      name: 'find-time',
      text: 'select extract(epoch from clock_timestamp())::float8 * 1000 as ms',
    });
    const answeredMs = performance.now();
    if (row === undefined || (this.#isMeasured && answeredMs - askedMs > longestMs)) return;
    this.#offsetMs = row.ms - (askedMs + answeredMs) / 2;
    this.#isMeasured = true;
  }

  /** Milliseconds by which the clock of this machine is ahead of the database's. */
  get machineAheadMs(): number {
    return Date.now() - this.now().getTime();
  }

  /** Throws when the clock of this machine differs from the database's by more than 5 s: tokens and signed messages are judged by it. */
  check(): void {
    const ms = this.machineAheadMs;
    if (Math.abs(ms) <= mostDifferenceMs) return;
    const side = ms > 0 ? 'ahead of' : 'behind';
    const seconds = Math.round(Math.abs(ms) / 1_000);
    throw new Error(`The clock of this machine is ${seconds} s ${side} the database's. Set both by NTP.`);
  }
}

/** Measures the database's clock now and every 10 s. */
export async function startClock(
  host: Pick<Host, 'log' | 'metrics' | 'draining' | 'resources'>,
  db: Queryable,
): Promise<DatabaseClock> {
  const clock = new DatabaseClock();
  const ahead = host.metrics.gauge({
    name: 'agentmesh_webhooks_clock_ahead_seconds',
    help: "Seconds by which the machine's clock is ahead of the database's.",
  });
  const run = async (): Promise<void> => {
    await clock.measure(db);
    ahead.set(clock.machineAheadMs / 1_000);
  };
  await run();
  host.resources.use(startJob({ pauseMs: 10_000, failure: "the database's clock cannot be measured", run }, host));
  return clock;
}

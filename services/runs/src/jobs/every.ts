import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@agentmesh/lib/telemetry';

export interface Job {
  readonly name: string;
  /** Pause between two rounds; each is up to a fifth shorter or longer. */
  readonly pauseMs: number;
  /** One round; what it throws is logged, once until it works again. */
  run(): Promise<void>;
}

/** Runs a job again and again until `signal` aborts. Resolves when its last round is over. */
export async function every(job: Job, log: Logger, signal: AbortSignal): Promise<void> {
  let failing = false;
  while (!signal.aborted) {
    await delay(job.pauseMs * (0.8 + Math.random() * 0.4), undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return;
    try {
      await job.run();
      failing = false;
    } catch (err) {
      if (!failing) log.warn({ err, job: job.name }, 'job failed and is tried again');
      failing = true;
    }
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../telemetry/index.ts';

/** Work that a service does again and again. Any number of replicas may do it at once. */
export interface Job {
  /** Pause between two rounds; each is up to a fifth shorter or longer, so that replicas do not run at the same time. */
  readonly pauseMs: number;
  /** Message that is logged with the error when a round throws, once until a round succeeds again. */
  readonly failure: string;
  /** One round. */
  run(): Promise<unknown>;
}

export interface JobSurroundings {
  readonly log: Logger;
  /** No round begins once it has aborted; without it rounds go on until the job is disposed. */
  readonly draining?: AbortSignal;
}

/**
 * Runs round after round. The first one follows a pause, because services that it calls may start later. Disposing ends the
 * rounds and resolves when the last one is over. A round that throws is logged, and the next one follows as usual. A round has no
 * deadline: give each wait in it one.
 *
 *     resources.use(startJob({ pauseMs: 60_000, failure: 'old logs cannot be deleted', run: () => deleteOldLogs(db) }, host));
 */
export function startJob(job: Job, { log, draining }: JobSurroundings): AsyncDisposable {
  const stopping = new AbortController();
  const signal = draining === undefined ? stopping.signal : AbortSignal.any([draining, stopping.signal]);
  const running = repeat(job, log, signal);
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await running;
    },
  };
}

async function repeat(job: Job, log: Logger, signal: AbortSignal): Promise<void> {
  let failing = false;
  while (!signal.aborted) {
    await sleep(job.pauseMs * (0.8 + Math.random() * 0.4), undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return;
    try {
      await job.run();
      failing = false;
    } catch (err) {
      if (!failing) log.warn({ err }, job.failure);
      failing = true;
    }
  }
}

import { createClient, pastEvents } from './load-client.ts';
import type { LoadJob, LoadResult } from './load-job.ts';

const runsPerSession = 25;

/** The operation that one connection repeats. */
interface Work {
  /** Setup before an operation. It is not measured, but the server does the work. */
  prepare(): Promise<void>;
  /** Returns the time that ends the latency, if it is earlier than the end of the operation. */
  perform(): Promise<number | void>;
}

/** Drives one target with one kind of load and returns the figures. This file runs as a separate process and prints them as JSON. */
async function drive(job: LoadJob): Promise<LoadResult> {
  const client = createClient(job);
  const createWork = {
    create: (): Work => ({ prepare: async () => {}, perform: async () => void (await client.createSession()) }),
    run: () => onSessions((session) => client.run(session)),
    firstEvent: () => onSessions((session) => client.firstEvent(session)),
    page: (): Work => ({ prepare: async () => {}, perform: () => client.page() }),
    artifact: () => onSessions((session) => client.artifact(session)),
  }[job.kind];
  await spend({ ...job, seconds: job.warmUpSeconds }, createWork);
  return spend(job, createWork);

  /**
   * Uses the given session, or a new one after every `runsPerSession` runs, because the length of the history has a measurement
   * of its own.
   */
  function onSessions(use: (session: string) => Promise<number | void>): Work {
    let session = job.session ?? '';
    let uses = 0;
    return {
      prepare: async () => {
        const due = uses++ % (job.runsPerSession ?? runsPerSession) === 0;
        if (due && job.session === undefined) session = await client.createSession(pastEvents(job.seedEvents ?? 0));
      },
      perform: () => use(session),
    };
  }
}

async function spend(job: LoadJob, createWork: () => Work): Promise<LoadResult> {
  const started = performance.now();
  const end = started + job.seconds * 1000;
  const latencies: number[] = [];
  const errors: string[] = [];
  const nextDue = pace(job, started);
  const connection = async () => {
    const work = createWork();
    for (;;) {
      await work.prepare();
      const due = await nextDue();
      if (due > end || performance.now() > end) return;
      await work.perform().then(
        (moment) => latencies.push((moment ?? performance.now()) - due),
        (error: unknown) => errors.push(String(error)),
      );
    }
  };
  await Promise.all(Array.from({ length: job.connections }, connection));
  return summarise(latencies, errors, (performance.now() - started) / 1000);
}

/**
 * Returns the start time of the next operation: now, or the next time of a steady rate. An operation that waited for a free
 * connection starts at its due time, so its delay counts as latency.
 */
function pace(job: LoadJob, started: number): () => Promise<number> {
  const { perSecond } = job;
  if (perSecond === undefined) return async () => performance.now();
  let issued = 0;
  return async () => {
    const due = started + (issued++ * 1000) / perSecond;
    const early = due - performance.now();
    if (early <= 0) return due;
    await new Promise((resolve) => setTimeout(resolve, early));
    return performance.now();
  };
}

function summarise(latencies: number[], errors: readonly string[], seconds: number): LoadResult {
  latencies.sort((a, b) => a - b);
  const quantile = (q: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * q))] ?? 0;
  return {
    count: latencies.length,
    perSecond: latencies.length / seconds,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    errors: errors.length,
    ...(errors[0] !== undefined && { firstError: errors[0] }),
  };
}

console.log(JSON.stringify(await drive(JSON.parse(process.argv[2] ?? '') as LoadJob)));
process.exit(0);

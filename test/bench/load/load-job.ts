import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** One kind of load on one target. */
export interface LoadJob {
  readonly url: string;
  readonly app: string;
  readonly token?: string;
  readonly kind: 'create' | 'run' | 'firstEvent' | 'page' | 'artifact';
  readonly connections: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
  /** Operations started per second over all connections. Absent: each connection starts its next operation as soon as it is free. */
  readonly perSecond?: number;
  /** Message of each run. Absent: a greeting. */
  readonly text?: string;
  /** Id of the session for all runs. Absent: each connection creates new sessions. */
  readonly session?: string;
  /** Number of runs in a new session before the next session is created. */
  readonly runsPerSession?: number;
  /** Number of events that a new session starts with. */
  readonly seedEvents?: number;
}

export interface LoadResult {
  readonly count: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly errors: number;
  readonly firstError?: string;
}

const program = fileURLToPath(new URL('load.ts', import.meta.url));

/**
 * Runs the load in a separate process, so that its CPU time and memory do not count as the server's. Throws when requests
 * failed and when `signal` aborts.
 */
export async function runLoad(job: LoadJob, signal: AbortSignal): Promise<LoadResult> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, JSON.stringify(job)], { signal });
  const result = JSON.parse(stdout) as LoadResult;
  if (result.errors > 0 || result.count === 0) {
    throw new Error(`${job.kind}: ${result.errors} of ${result.errors + result.count} failed: ${result.firstError}`);
  }
  return result;
}

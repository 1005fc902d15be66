import { type LedgerRun, RunStatus } from '@agentmesh/proto/sessions/v1';
import { type Context, unary } from '../context.ts';
import { clientLeft } from '../edge/streams/client-left.ts';

export interface RunName {
  readonly accountId: string;
  /** Only a run of this user; empty for any. */
  readonly userId: string;
  readonly invocationId: string;
  /** Only a run of sessions with these names; empty for any. */
  readonly appName?: string;
  readonly sessionId?: string;
}

/** Behind every event: only the end of the run is told. */
const behindAll = 2 ** 31 - 1;
const going: ReadonlySet<RunStatus | undefined> = new Set([RunStatus.QUEUED, RunStatus.RUNNING]);

/** True while the run has neither ended nor waits for an answer. */
export function isGoing(run: LedgerRun | undefined): boolean {
  return going.has(run?.status);
}

/** Waits until a run has ended or waits for an answer, until `signal` aborts, or until its process stops. Returns the run as it is then. */
export async function runEnd(
  { sessions, runs }: Pick<Context, 'sessions' | 'runs'>,
  name: RunName,
  signal: AbortSignal,
): Promise<LedgerRun | undefined> {
  const read = async () => (await sessions.getRun({ ...name, withOutput: true }, unary)).run;
  const first = await read();
  if (!isGoing(first) || signal.aborted) return first;
  // Leaving the loop does not end the call.
  const watching = new AbortController();
  const either = AbortSignal.any([signal, watching.signal]);
  try {
    for await (const { isOver } of runs.watchRun({ ...name, afterSeq: behindAll }, { signal: either }))
      if (isOver) break;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    watching.abort(clientLeft);
  }
  return read();
}

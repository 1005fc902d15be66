import { isMeshError } from '@agentmesh/lib/rpc';
import type { Context } from '../context.ts';
import { contended } from '../errors.ts';
import type { DueRun } from '../store/runs.ts';

/** Errors of a call that can do nothing more: the database is away, or the caller has left. */
const callEnding = new Set<string>(['unavailable', 'deadline_exceeded', 'canceled']);

/** Does what one run needs. When that fails, the run is left to the next call and holds up no other. */
export async function unlessFails<T>(context: Context, run: DueRun, work: () => Promise<T>): Promise<T | undefined> {
  return work().catch((err: unknown) => {
    if (isMeshError(err) && callEnding.has(err.code) && err.reason !== contended().reason) throw err;
    const { invocationId } = run;
    context.log.error({ err, invocationId }, 'a run without an executor could be neither continued nor ended');
    return undefined;
  });
}

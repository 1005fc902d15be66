import { MeshError } from '@agentmesh/lib/rpc';

/** Why a worker has ended. */
export interface WorkerEnd {
  /** E.g. `it used more than 512 MB`. */
  readonly reason: string;
  /** Tools that ran then. */
  readonly tools: readonly string[];
}

/** The error of the runs of a worker that has ended. */
export function workerEnded(appName: string, { reason, tools }: WorkerEnd): MeshError {
  const named = tools.map((tool) => `"${tool}"`).join(', ');
  const during = tools.length === 0 ? '' : ` while the tool ${named} ran`;
  const message = `The code of the app "${appName}" was ended: ${reason}${during}.`;
  return new MeshError('failed_precondition', 'app_code_ended', message);
}

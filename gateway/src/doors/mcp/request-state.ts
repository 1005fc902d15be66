import type { LedgerRun } from '@agentmesh/proto/sessions/v1';
import type { ToolArguments } from './tools.ts';

/** The run that a form asks about, and the arguments that name its place. */
interface AskedRun extends Pick<ToolArguments, 'user' | 'session_id'> {
  readonly run_id: string;
}

/** The `requestState` of a form names its session too, because a copy of it may have a newer run with the id. */
export function printRequestState({ userId, sessionId, invocationId }: LedgerRun): string {
  return JSON.stringify({ user: userId, session_id: sessionId, run_id: invocationId });
}

/** Reads a `requestState`. It was the id of the run alone, and is so while another version of the mesh is upgraded. */
export function parseRequestState(state: string): AskedRun {
  const { user, session_id, run_id } = fieldsOf(state);
  if (typeof user !== 'string' || typeof session_id !== 'string' || typeof run_id !== 'string')
    return { run_id: state };
  return { user, session_id, run_id };
}

function fieldsOf(state: string): { readonly [Field in keyof AskedRun]?: unknown } {
  try {
    return (JSON.parse(state) ?? {}) as object;
  } catch {
    return {};
  }
}

import type { Run } from '../records.ts';

type Names = Pick<Run, 'appName' | 'userId' | 'sessionId'>;
type RunRecord = Pick<Run, 'invocationId'> & { readonly [Name in keyof Names]?: string | undefined };

/**
 * A run: its id, or a record that has its id and its session, as lists have them. Ids are unique in a session only: an id alone means the newest run that has it.
 */
export type NamedRun = string | RunRecord;

export function idOf(run: NamedRun): string {
  return isRecord(run) ? run.invocationId : run;
}

/** The query that tells a run from those of other sessions. */
export function placeOf(run: NamedRun): object | undefined {
  return isRecord(run) ? { app: run.appName, user: run.userId, session: run.sessionId } : undefined;
}

/** Programs without types have null for an id that is missing, which `route` refuses. */
function isRecord(run: NamedRun | null): run is RunRecord {
  return typeof run === 'object' && run !== null;
}

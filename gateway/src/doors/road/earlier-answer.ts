import type { LedgerRun, StoredEvent } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../../context.ts';
import { answeredCalls, marked } from './answered-calls.ts';
import { eventsOfRun } from './events-of-run.ts';
import type { DoorRun } from './start-run.ts';

/** An answer to calls that a run has had. */
interface EarlierAnswer {
  /** Names of the calls, by their ids. */
  readonly names: ReadonlyMap<string, string>;
  /** The events of the run before it. */
  readonly before: readonly StoredEvent[];
}

interface Sought {
  readonly record: LedgerRun;
  readonly callIds: ReadonlySet<string>;
  readonly signal: AbortSignal;
}

/** The newest answer to one of these calls among the events of a run; undefined when there is none. A run that has gone on does not tell what it waited for, and a repeated request must say the same again. */
export async function earlierAnswer(
  context: Pick<Context, 'sessions'>,
  run: DoorRun,
  { record, callIds, signal }: Sought,
): Promise<EarlierAnswer | undefined> {
  // An answer is stored as an event when the next attempt begins.
  if (record.attempt < 2) return undefined;
  const events = await eventsOfRun(context, run, { record, signal });
  const place = events.findLastIndex(({ json }) =>
    [...answeredCalls(marked(json)).keys()].some((id) => callIds.has(id)),
  );
  const answer = events[place];
  return answer && { names: answeredCalls(marked(answer.json)), before: events.slice(0, place) };
}

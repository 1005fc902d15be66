import { type LedgerRun, RunStatus, type StoredEvent } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../../context.ts';
import { answeredCalls, callMarks, marked, openCalls } from './answered-calls.ts';
import { eventsOfRun } from './events-of-run.ts';
import type { DoorRun } from './start-run.ts';
import { waitingNames } from './waiting-calls.ts';

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

/** Statuses of a run of one attempt that has had no answer. One that has, and has not gone on, is in the queue or was ended there. */
const unanswered = new Set([RunStatus.RUNNING, RunStatus.WAITING, RunStatus.COMPLETED]);

/**
 * The newest answer to one of these calls that a run may have had; undefined when it had none. A run that does not wait does not tell what it waited for, and a
 * repeated request must say the same again.
 */
export async function earlierAnswer(
  context: Pick<Context, 'sessions'>,
  run: DoorRun,
  { record, callIds, signal }: Sought,
): Promise<EarlierAnswer | undefined> {
  if (record.attempt < 2 && unanswered.has(record.status)) return undefined;
  const events = await eventsOfRun(context, run, { record, signal });
  const read = events.map(({ json }) => marked(json, callMarks));
  const answers = (names: ReadonlyMap<string, string>) => [...callIds].some((id) => names.has(id));
  // An answer is stored as an event when the next attempt begins: until then its calls are open.
  const open = openCalls(read);
  if (answers(open)) return { names: open, before: events };
  const place = read.findLastIndex((event) => answers(answeredCalls(event)));
  return place === -1 ? undefined : { names: answeredCalls(read[place]), before: events.slice(0, place) };
}

/** Names of the calls that a request answers, by their ids: those that the run waits for, or those of the earlier answer that a request with a key repeats. */
export async function namesOfCalls(
  context: Pick<Context, 'sessions'>,
  run: DoorRun,
  { isKeyed, ...sought }: Sought & { readonly isKeyed: boolean },
): Promise<ReadonlyMap<string, string>> {
  const awaited = waitingNames(sought.record);
  const isAwaited = [...sought.callIds].some((id) => awaited.has(id));
  const earlier = isKeyed && !isAwaited ? await earlierAnswer(context, run, sought) : undefined;
  return earlier?.names ?? awaited;
}

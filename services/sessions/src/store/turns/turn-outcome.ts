import type { StateMap } from '../../state-delta.ts';
import { newestWithin } from '../events/window-bytes.ts';

/** The turn was taken. */
export interface StartedTurn {
  readonly sessionPk: bigint;
  readonly fence: bigint;
  readonly attempt: number;
  readonly lastSeq: number;
  /** Merged state before the attempt's own delta. */
  readonly state: StateMap;
  /** JSON of the calls that the run waited for; null when there were none. */
  readonly waitingFor: string | null;
  /** JSON of what agents do not see; null when they see all events. Then `recent` is complete. */
  readonly view: string | null;
  /** The newest event that the executor knows is the one that is stored. */
  readonly holdsKnown: boolean;
  /** Newest first. Without the attempt's own events, without events that the executor knows, and cut to the size of a window. */
  readonly recent: readonly RecentEvent[];
}

interface RecentEvent {
  readonly seq: number;
  readonly turnStart: boolean;
  readonly json: string;
}

/** The run waits: for its turn, or with the turn for its executor. */
export interface WaitingRun {
  readonly sessionPk: bigint;
  readonly granted: boolean;
  /** Place among the runs of the session that have not started. */
  readonly queuePosition: number;
  /** The last sequence of the session. */
  readonly acceptedSeq: number;
}

/** `in_progress`: this invocation is queued or running already. `busy`: another run holds the turn, and this one was not accepted. */
export type TurnOutcome = StartedTurn | WaitingRun | 'in_progress' | 'busy';

/** A statement that takes a turn answers rows of these kinds. Columns that a kind does not have are null. */
export type TurnRow = SessionRow | HeldRow | InterruptedRow | EventRow | StateRow;

/** The session was read. Without this row there is no such session, or the run was not granted. */
interface SessionRow {
  readonly kind: 'session';
  /** Another run holds the turn. */
  readonly flag: boolean;
}

/** The session was changed. */
interface HeldRow {
  readonly kind: 'turn';
  readonly pk: bigint;
  readonly seq: number;
  /** The place in the queue if the run is queued. */
  readonly fence: bigint;
  /** The session holds the newest event that the executor knows. */
  readonly flag: boolean;
  /** Status of the run. */
  readonly key: 'running' | 'granted' | 'queued';
  /** Null when the invocation was queued or running already. */
  readonly attempt: number | null;
  /** JSON of the calls that the run waited for. */
  readonly json: string | null;
  /** JSON of what agents do not see of the session; null when they see all events. */
  readonly view: string | null;
}

/** The running attempt that has to end for this run. */
export interface InterruptedRow {
  readonly kind: 'interrupted';
  readonly pk: bigint;
  readonly key: string;
  readonly fence: bigint;
}

interface EventRow {
  readonly kind: 'event';
  readonly seq: number;
  /** The event starts a user turn. */
  readonly flag: boolean;
  readonly json: string;
}

interface StateRow {
  readonly kind: 'state';
  readonly key: string;
  readonly json: string;
}

type Kind = TurnRow['kind'];
type ColumnsOf<K extends Kind> = Record<Exclude<keyof Extract<TurnRow, { kind: K }>, 'kind'>, string>;

const columnTypes = {
  pk: 'bigint',
  seq: 'integer',
  fence: 'bigint',
  flag: 'boolean',
  attempt: 'integer',
  key: 'text',
  json: 'text',
  view: 'text',
};

/** SQL that selects rows of one kind. All kinds have the same columns, so that `union all` can join them. */
export function selectTurnRows<K extends Kind>(kind: K, columns: ColumnsOf<K>, from: string): string {
  const given: Record<string, string> = columns;
  const list = Object.entries(columnTypes).map(([name, type]) => `${given[name] ?? `null::${type}`} as ${name}`);
  return `select '${kind}' as kind, ${list.join(', ')} from ${from}`;
}

/** Undefined when the session was not changed. */
export function readOutcome(
  rows: readonly TurnRow[],
  { windowBytes, rejects = false }: { readonly windowBytes: number; readonly rejects?: boolean },
): TurnOutcome | undefined {
  const state: StateMap = new Map();
  const recent: RecentEvent[] = [];
  let held: HeldRow | undefined;
  let isBehind = false;
  for (const row of rows) {
    if (row.kind === 'turn') held = row;
    else if (row.kind === 'state') state.set(row.key, row.json);
    else if (row.kind === 'event') recent.push({ seq: row.seq, turnStart: row.flag, json: row.json });
    else if (row.kind === 'session') isBehind = row.flag;
  }
  if (held === undefined) return isBehind && rejects ? 'busy' : undefined;
  if (held.attempt === null) return 'in_progress';
  if (held.key !== 'running') {
    const granted = held.key === 'granted';
    return { sessionPk: held.pk, granted, queuePosition: granted ? 1 : Number(held.fence), acceptedSeq: held.seq };
  }
  recent.sort((a, b) => b.seq - a.seq);
  const { pk: sessionPk, fence, attempt, seq: lastSeq, json: waitingFor, flag: holdsKnown, view } = held;
  const window = newestWithin(recent, windowBytes);
  return { sessionPk, fence, attempt, lastSeq, state, waitingFor, view, holdsKnown, recent: window };
}

/** The turn of an outcome; undefined when it is another one. */
export function startedIn(outcome: TurnOutcome | undefined): StartedTurn | undefined {
  return typeof outcome === 'object' && 'state' in outcome ? outcome : undefined;
}

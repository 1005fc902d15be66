import type { Placeholders, Queryable } from '@agentmesh/lib/pg';
import type { RunOfSession } from '../session-key.ts';
import { laterUpdate } from './created-at.ts';
import { hasNumber, isOfSession, isRun, isSnap } from './key-condition.ts';
import { bytesOfEvents, withinSession } from './sizes.ts';
import { type RunEndedFact, tellRunEnded } from './tell-run-ended.ts';
import { type AddedEvents, createWriteQuery, type Write, type WriteQuery } from './write.ts';

/** A fenced append of a running attempt. */
export interface Append extends Write, RunOfSession {
  fence: bigint;
  /** The sequence that the session must be at. */
  lastSeq: number;
  /** Only with an end that rewinds: the session's new column `view`, and the version that the session must have. Absent: the view stays. */
  rewound?: Rewound;
}

/** A rewind that was planned for a session of this version. */
interface Rewound {
  readonly view: string | null;
  readonly version: bigint;
}

/** The end of an attempt. */
export interface AttemptOutcome extends RunEndedFact {
  status: 'completed' | 'failed' | 'cancelled' | 'interrupted' | 'waiting';
  errorCode: string | null;
  errorMessage: string | null;
  /** The model that answered last. */
  model: string | null;
  /** JSON object of numbers, which are added to those of earlier attempts. */
  usage: string | null;
  /** JSON array of the calls that the run waits for. */
  waitingFor: string | null;
  /** Seconds to wait for the answer; null: for ever. */
  answerSeconds: number | null;
  /** JSON object: the agent that answered. */
  agent: string | null;
  /** The end is told through the outbox also when nobody awaits the run. */
  asksByMail: boolean;
  /** See AttemptEnd. */
  isPlain: boolean;
}

/** The run that got the turn when an attempt ended. */
export interface Granted {
  invocationId: string;
  owner: string;
  appName: string;
  userId: string;
  sessionId: string;
}

/** Seconds for which only the owner may start a granted run. After that any executor may. */
const grantSeconds = 2;

interface AppendValues extends RunOfSession {
  readonly fence: bigint;
  /** The sequence before the append. */
  readonly lastSeq: number;
  /** Bytes of the events. */
  readonly addedBytes: number;
  readonly maxBytes: number;
}

type EndValues = AppendValues & AttemptOutcome & { readonly waits: boolean };

/** SQL condition: session `s` is at the sequence, and the attempt holds its turn. */
const isHeld = (param: Placeholders<AppendValues>): string =>
  `${hasNumber(param, 's')} and s.turn = ${param.invocationId} and s.fence = ${param.fence}
        and s.last_seq = ${param.lastSeq}`;

/** SQL of the columns that every append sets. */
const advance = (added: AddedEvents): string =>
  `version = s.version + 1, last_seq = s.last_seq + ${added.count}, last_update_time = ${laterUpdate('s.last_update_time', added.lastTime)}`;

/** SQL expression: the bytes of the session after the append. */
const grown = (param: Placeholders<AppendValues>): string => `s.bytes + ${param.addedBytes}::bigint`;

/** SQL of the columns that a write needs. */
const advanced = (added: AddedEvents): string =>
  `s.account_id, s.app_name, s.user_id, s.pk, s.last_seq, s.last_seq - ${added.count} as base`;

const appendQuery = createWriteQuery<AppendValues, { last_seq: number }>({
  name: 'append',
  source: 'moved',
  text: (param, writes, added) => `with moved as (
      update sessions s set ${advance(added)}, bytes = ${withinSession(grown(param), param.maxBytes)}
      where ${isHeld(param)}
      returning ${advanced(added)}
    )${writes}
    select last_seq from moved`,
});

/** SQL of the columns that the end of an attempt sets. It is stored also when the session is full, because a run must be able to end. */
const close = (param: Placeholders<AppendValues>, added: AddedEvents): string =>
  `${advance(added)}, bytes = ${grown(param)}`;

/** SQL of the columns of a run that every end of an attempt sets. */
const ending = (param: Placeholders<EndValues>): string =>
  `status = ${param.status}, error_code = ${param.errorCode}, error_message = ${param.errorMessage},
        model = coalesce(${param.model}, r.model), agent = coalesce(${param.agent}::json, r.agent), waiting_for = ${param.waitingFor}::json,
        answer_by = now() + make_interval(secs => ${param.answerSeconds}), end_seq = moved.last_seq, ended_at = now(), due_at = null`;

/** SQL of the CTEs that end the run and, when it is awaited or asks by mail, tell so through the outbox. */
const endRun = (param: Placeholders<EndValues>): string => `ended as (
      update runs r set ${ending(param)},
        usage = case when r.usage is null then ${param.usage}::json else add_usage(r.usage, ${param.usage}::json) end,
        message = null, state_delta = null,
        added_messages = case when ${param.waits}::boolean then r.added_messages end
      from moved where ${isRun(param, 'r')}
      returning r.awaited or ${param.asksByMail}::boolean as awaited
    ), told as (
      ${tellRunEnded(param)}
    )`;

/** SQL of the CTE that ends a plain run. */
const endPlainRun = (param: Placeholders<EndValues>): string => `ended as (
      update runs r set ${ending(param)}, usage = ${param.usage}
      from moved where ${isRun(param, 'r')}
    )`;

interface UnqueuedEnd {
  readonly name: string;
  /** SQL of the CTEs that end the run. */
  readonly ended: (param: Placeholders<EndValues>) => string;
  /** SQL expression: the end is told through the outbox. */
  readonly awaited: string;
}

/** Creates a statement for ends without runs in the queue. Most have no cause, wait for nothing and ask nobody. */
const createUnqueuedEnd = ({ name, ended, awaited }: UnqueuedEnd): WriteQuery<EndValues, { awaited: boolean }> =>
  createWriteQuery({
    name,
    source: 'moved',
    rare: [['errorCode', 'errorMessage', 'waits', 'waitingFor', 'answerSeconds', 'asksByMail']],
    text: (param, writes, added) => `with moved as (
      update sessions s set ${close(param, added)}, turn = null
      where ${isHeld(param)} and s.queued = 0
      returning ${advanced(added)}
    )${writes}, ${ended(param)}
    select ${awaited} as awaited from moved`,
  });

const appendAndEndUnqueued = createUnqueuedEnd({
  name: 'append-and-end-unqueued',
  ended: endRun,
  awaited: 'coalesce((select awaited from ended), false)',
});

const appendAndEndPlain = createUnqueuedEnd({ name: 'append-and-end-plain', ended: endPlainRun, awaited: 'false' });

interface EndParts {
  readonly writes: string;
  readonly added: AddedEvents;
  /** SQL of further columns of the session, each led by a comma. */
  readonly sets?: string;
  /** SQL of a further condition on session `s`, led by `and`. */
  readonly where?: string;
}

/** SQL of an end with runs in the queue. */
const endAndGrant = (
  param: Placeholders<EndValues>,
  { writes, added, sets = '', where = '' }: EndParts,
): string => `with snap as (
      select s.account_id, s.pk, s.version, (
        select r.invocation_id from runs r where r.account_id = s.account_id and r.session_pk = s.pk and r.status = 'queued' and r.ended_at is null
        order by r.position limit 1
      ) as next
      from sessions s where ${isHeld(param)} ${where}
    ), moved as (
      update sessions s set ${close(param, added)}, turn = snap.next,
        queued = case when snap.next is null then 0 else s.queued - 1 end${sets}
      from snap where ${isSnap}
      returning ${advanced(added)}, s.id, snap.next
    )${writes}, ${endRun(param)}, granted as (
      update runs r set status = 'granted', due_at = now() + make_interval(secs => ${grantSeconds})
      where ${isOfSession(param, 'r')} and r.invocation_id = (select next from moved)
      returning r.owner
    )
    select m.last_seq, m.next, m.app_name, m.user_id, m.id, g.owner, coalesce((select awaited from ended), false) as awaited
    from moved m left join granted g on true
    union all
    select null, null, null, null, null, null, null from snap where not exists (select from moved)`;

const appendAndEnd = createWriteQuery<EndValues, EndRow>({
  name: 'append-and-end',
  source: 'moved',
  text: (param, writes, added) => endAndGrant(param, { writes, added }),
});

const appendAndRewind = createWriteQuery<EndValues & Rewound, EndRow>({
  name: 'append-end-and-rewind',
  source: 'moved',
  text: (param, writes, added) =>
    endAndGrant(param, {
      writes,
      added,
      sets: `, view = ${param.view}::json`,
      where: `and s.version = ${param.version}`,
    }),
});

/** One row of nulls: the session changed between snapshot and write. */
type EndRow = EndedRow | { readonly last_seq: null };

interface EndedRow {
  readonly last_seq: number;
  /** The invocation that got the turn. */
  readonly next: string | null;
  readonly app_name: string;
  readonly user_id: string;
  readonly id: string;
  /** The owner of that invocation. */
  readonly owner: string | null;
  readonly awaited: boolean;
}

/** Appends without ending. The new last sequence, or undefined when fence or sequence do not match: then nothing was written. */
export async function insertAppend(db: Queryable, append: Append): Promise<number | undefined> {
  const [row] = await appendQuery(db, appendValues(append), append);
  return row?.last_seq;
}

/** Undefined: the session changed between snapshot and write. `refused`: fence, sequence, or the version of a rewind do not match. */
export type EndResult = EndedAttempt | undefined | 'refused';

interface EndedAttempt {
  readonly lastSeq: number;
  /** The outbox has a row about the end. */
  readonly isTold: boolean;
  readonly granted?: Granted;
}

/** Appends, ends the attempt, grants the turn to the next queued run and tells the end of an awaited run through the outbox, all or nothing. */
export async function appendAndEndAttempt(db: Queryable, append: Append, outcome: AttemptOutcome): Promise<EndResult> {
  const values = endValues(append, outcome);
  const { rewound } = append;
  if (rewound !== undefined) return readEnd(await appendAndRewind(db, { ...values, ...rewound }, append));
  // Usually no run is queued: then nothing is looked up and nothing is granted.
  const [unqueued] = await (outcome.isPlain ? appendAndEndPlain : appendAndEndUnqueued)(db, values, append);
  if (unqueued !== undefined) return { lastSeq: append.lastSeq + append.events.length, isTold: unqueued.awaited };
  return readEnd(await appendAndEnd(db, values, append));
}

function readEnd([row]: readonly EndRow[]): EndResult {
  if (row === undefined) return 'refused';
  if (row.last_seq === null) return undefined;
  return { lastSeq: row.last_seq, isTold: row.awaited, ...grantOf(row) };
}

function grantOf(row: EndedRow): { granted?: Granted } {
  const { next: invocationId, owner, app_name: appName, user_id: userId, id: sessionId } = row;
  if (invocationId === null || owner === null) return {};
  return { granted: { invocationId, owner, appName, userId, sessionId } };
}

function endValues(append: Append, outcome: AttemptOutcome): EndValues {
  return { ...appendValues(append), ...outcome, waits: outcome.status === 'waiting' };
}

function appendValues({ accountId, sessionPk, invocationId, fence, lastSeq, events, limits }: Append): AppendValues {
  const sizes = { addedBytes: bytesOfEvents(events), maxBytes: limits.sessionBytes };
  const run = { accountId, sessionPk, invocationId };
  return { ...run, fence, lastSeq, ...sizes };
}

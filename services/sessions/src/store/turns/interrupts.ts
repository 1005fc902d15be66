import type { Placeholders, Queryable } from '@agentmesh/lib/pg';
import { sessionNotFound } from '../../errors.ts';
import { laterUpdate } from '../created-at.ts';
import { hasKey, isSnap } from '../key-condition.ts';
import type { RunKey } from '../ledger/run-keys.ts';
import { type AddedEvents, createWriteQuery, type WriteQuery } from '../write.ts';
import { type InterruptedRow, readOutcome, selectTurnRows, type TurnOutcome, type TurnRow } from './turn-outcome.ts';
import { grown, isInProgress, selectHeld, startedRows } from './turn-query.ts';
import { insertKey, insertRun } from './turns.ts';
import { type RunRequest, type TurnParams, type TurnStart, type TurnValues, turnValues } from './turn-values.ts';

/** Error code of a run whose place another run took. While the run is being stopped, its row has this code already. */
export const interruptedByRun = 'INTERRUPTED_BY_RUN';

/** The same, in the row of a run that is being stopped and whose turn is rewound when it ends. */
export const rolledBackByRun = 'ROLLED_BACK_BY_RUN';

/** Seconds that the executor of the interrupted run has to end it. Then any executor ends it. */
const closingSeconds = 3;

interface Values extends TurnValues {
  readonly cause: string;
  /** The run that holds the turn ends also when it was granted the turn and has not begun. */
  readonly rollsBack: boolean;
}

/** SQL that updates the row of the run that held the turn, if `moved` has the flag. */
const updateHolder = (set: string, flag: string): string => `update runs r set ${set}
      where r.account_id = (select account_id from moved) and r.session_pk = (select pk from moved where ${flag})
        and r.invocation_id = (select holder from moved)`;

/** SQL of the interruption: the changed session in `moved`, its new run, and the run that held the turn. */
const interrupt = (param: Placeholders<Values>, added: AddedEvents): string => `with snap as (
      select s.account_id, s.pk, s.version, s.last_seq, s.turn as holder,
        (s.turn is null or h.makes_way is true) and not ${param.postpone}::boolean as free,
        s.turn is not null and h.makes_way is not true as behind,
        h.makes_way is true as requeues,
        (h.status in ('running', 'granted') and not h.makes_way and s.turn <> ${param.invocationId}) is true as stops,
        (
          select r.position from runs r where r.account_id = s.account_id and r.session_pk = s.pk and r.ended_at is null order by r.position limit 1
        ) as first,
        ${isInProgress(param)} as in_progress
      from sessions s left join lateral (
        select status, (status = 'granted' and not ${param.rollsBack}::boolean) is true as makes_way
        from runs where account_id = s.account_id and session_pk = s.pk and invocation_id = s.turn offset 0
      ) h on true
      where ${hasKey(param, 's')}
    ), moved as (
      update sessions s set
        version = s.version + 1,
        turn = case when snap.behind then s.turn else ${param.invocationId} end,
        queued = case when snap.behind or snap.requeues then s.queued + 1 else s.queued end,
        fence = case when snap.free or snap.stops then s.fence + 1 else s.fence end,
        last_seq = case when snap.free then s.last_seq + ${added.count} else s.last_seq end,
        last_update_time = case when snap.free then ${laterUpdate('s.last_update_time', added.lastTime)}
          else s.last_update_time end,
        bytes = case when snap.free then ${grown(param)} else s.bytes end
      from snap where ${isSnap} and not snap.in_progress
      returning s.account_id, s.app_name, s.user_id, s.id, s.pk, s.fence, s.view, s.last_seq, snap.last_seq as base, snap.free,
        1 as queued, coalesce(snap.first, 0) - 1 as first, snap.holder, snap.requeues, snap.stops,
        case when snap.free then 'running' when snap.behind then 'queued' else 'granted' end as status
    ), started as (
      select * from moved where free
    ), ledger as (
      ${insertRun(param, 'first')}
      returning r.attempt, r.waiting_for
    ), requeued as (
      ${updateHolder(`status = 'queued', due_at = null`, 'requeues')}
    ), stopped as (
      ${updateHolder(
        `status = 'cancelling', error_code = ${param.cause},
        due_at = least(r.due_at, now() + make_interval(secs => ${closingSeconds}))`,
        'stops',
      )}
      returning r.session_pk, r.invocation_id, r.fence
    )`;

function createInterruption(name: string, besides: (param: TurnParams) => string): WriteQuery<Values, TurnRow> {
  return createWriteQuery({
    name,
    source: 'started',
    text: (param, writes, added) => `${interrupt(param, added)}${besides(param)}${writes}
    ${selectTurnRows('session', { flag: 'snap.behind' }, 'snap')}
    union all
    ${selectHeld(param)}
    union all
    ${selectTurnRows('interrupted', { pk: 'x.session_pk', key: 'x.invocation_id', fence: 'x.fence' }, 'stopped x')}
    union all
    ${startedRows(param)}`,
  });
}

const interruptQuery = createInterruption('accept-interrupting-run', () => '');
const interruptKeyedQuery = createInterruption('accept-keyed-interrupting-run', insertKey);

export interface Interruption {
  readonly outcome: TurnOutcome;
  /** The attempt whose executor has to be told; undefined when no run was running. */
  readonly interrupted?: InterruptedRow | undefined;
}

interface Interrupting {
  readonly request: RunRequest;
  readonly key?: RunKey | undefined;
  readonly rollsBack: boolean;
}

/**
 * Accepts a run that comes before all others of its session. A running one is marked like one that is being cancelled. A granted one is queued
 * again, or marked, too, when the run rolls back; its fence is 0. Undefined, and the errors, as for `acceptTurn`.
 */
export async function acceptInterrupting(
  db: Queryable,
  start: TurnStart,
  { request, key, rollsBack }: Interrupting,
): Promise<Interruption | undefined> {
  const cause = rollsBack ? rolledBackByRun : interruptedByRun;
  const values = { ...turnValues(start, request), cause, rollsBack };
  const rows = await (key === undefined
    ? interruptQuery(db, values, start)
    : interruptKeyedQuery(db, { ...values, ...key }, start));
  if (rows.length === 0) throw sessionNotFound();
  const outcome = readOutcome(rows, start);
  return outcome && { outcome, interrupted: rows.find((row) => row.kind === 'interrupted') };
}

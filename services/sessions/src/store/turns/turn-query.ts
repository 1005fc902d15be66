import { laterUpdate } from '../created-at.ts';
import { pageOfEvents } from '../events/page-of-events.ts';
import { hasKey, isSnap } from '../key-condition.ts';
import { withinSession } from '../sizes.ts';
import { joinVisibleState, publicKey } from '../state.ts';
import { type AddedEvents, createWriteQuery, type WriteQuery } from '../write.ts';
import { selectTurnRows, type TurnRow } from './turn-outcome.ts';
import type { TurnParams, TurnValues } from './turn-values.ts';

/** SQL expression: the sequence up to which the executor knows session `m`. */
const known = (param: TurnParams): string =>
  `case when m.pk = ${param.knownPk} then ${param.knownSeq}::integer else 0 end`;

/**
 * SQL of the recent events behind the sequence `after`, and the state, of the session in relation `from`. Where agents do not see all events, it selects
 * none of these.
 */
export function startedRows(param: TurnParams, { from = 'started m', after = known(param) } = {}): string {
  const recent = pageOfEvents({
    where: `m.view is null and account_id = m.account_id and session_pk = m.pk and seq > ${after}`,
    order: 'desc',
    limit: param.window,
    maxBytes: `${param.windowBytes}::bigint`,
    columns: 'seq, turn_start',
  });
  const event = { seq: 'e.seq', flag: 'e.turn_start', json: 'e.json' };
  return `${selectTurnRows('event', event, `${from} cross join lateral (${recent}) e`)}
    union all
    ${selectTurnRows('state', { key: publicKey, json: 't.value::text' }, `${from} ${joinVisibleState}`)}`;
}

/** SQL expression: the bytes of session `s` with the events of the turn. */
export const grown = (param: TurnParams): string =>
  withinSession(`s.bytes + ${param.addedBytes}::bigint`, param.maxBytes);

/** SQL expression: whether the run is queued or running in session `s` already. */
export const isInProgress = (param: TurnParams): string => `s.turn is not null and exists (
          select from runs r where r.account_id = s.account_id and r.session_pk = s.pk and r.invocation_id = ${param.invocationId}
            and r.status in ('queued', 'granted', 'running', 'cancelling') offset 0
        )`;

interface TurnQueryParts {
  readonly name: string;
  /** SQL condition on session `s`, besides its key. */
  readonly where: (param: TurnParams) => string;
  /** SQL expression: whether the run starts. */
  readonly free: (param: TurnParams) => string;
  /** SQL expression: whether the run is accepted already. Then nothing is written. */
  readonly inProgress?: (param: TurnParams) => string;
  /** SQL condition on `snap`, led by `and`. If it does not hold, the session counts as changed. */
  readonly holds?: (param: TurnParams) => string;
  /** SQL that writes the row of the run. It may read relation `moved`, and calls the table `r`. */
  readonly ledger: (param: TurnParams) => string;
  /** SQL of a further CTE, led by a comma. It may read relations `moved` and `ledger`. */
  readonly besides?: (param: TurnParams) => string;
}

/**
 * Creates a statement that reads the session once, and changes it only if it is still as it was read: the window, the state and
 * the decision to take the turn or to queue belong to one moment.
 */
export function createTurnQuery({
  name,
  where,
  free,
  inProgress = () => 'false',
  holds,
  ledger,
  besides,
}: TurnQueryParts): WriteQuery<TurnValues, TurnRow> {
  return createWriteQuery({
    name,
    source: 'started',
    text: (param, writes, added) => `with snap as (
      select s.account_id, s.pk, s.version, s.last_seq, ${free(param)} as free, s.turn is not null and not (${free(param)}) as behind,
        ${inProgress(param)} as in_progress
      from sessions s
      where ${hasKey(param, 's')} ${where(param)}
    ), moved as (
      update sessions s set
        version = s.version + 1,
        turn = coalesce(s.turn, ${param.invocationId}),
        queued = case when snap.behind then s.queued + 1 else s.queued end,
        fence = case when snap.free then s.fence + 1 else s.fence end,
        last_seq = case when snap.free then s.last_seq + ${added.count} else s.last_seq end,
        last_update_time = case when snap.free then ${laterUpdate('s.last_update_time', added.lastTime)}
          else s.last_update_time end,
        bytes = case when snap.free then ${grown(param)} else s.bytes end
      from snap where ${isSnap} and not snap.in_progress
        and not (snap.behind and ${param.rejects}::boolean) ${holds?.(param) ?? ''}
      returning s.account_id, s.app_name, s.user_id, s.id, s.pk, s.fence, s.view, s.queued, s.last_seq, snap.last_seq as base, snap.free,
        case when snap.free then 'running' when snap.behind then 'queued' else 'granted' end as status
    ), started as (
      select * from moved where free
    ), ledger as (
      ${ledger(param)}
      returning r.attempt, r.waiting_for
    )${besides?.(param) ?? ''}${writes}
    ${selectTurnRows('session', { flag: 'snap.behind' }, 'snap')}
    union all
    ${selectHeld(param)}
    union all
    ${startedRows(param)}`,
  });
}

/** SQL expression: whether the newest event that the executor knows is the one that session `m` has at its sequence. */
const holdsKnown = (param: TurnParams): string => `m.pk = ${param.knownPk} and exists (select from events k
      where k.account_id = m.account_id and k.session_pk = m.pk and k.seq = ${param.knownSeq}::integer and k.event_id = ${param.knownEventId} offset 0)`;

/** Columns of the row `turn` of a first attempt whose executor knows nothing of the session, from relation `m`. */
export const heldAtOnce = (added: AddedEvents) => ({
  pk: 'm.pk',
  seq: `m.base + ${added.count}`,
  fence: 'm.fence',
  flag: 'false',
  attempt: '1',
  key: `'running'`,
  json: 'null::text',
  view: 'm.view::text',
});

/** Columns of the row `turn`, from relations `moved` and `ledger`. */
const heldByMoved = (param: TurnParams) => ({
  pk: 'm.pk',
  seq: 'm.last_seq',
  fence: `case m.status when 'queued' then m.queued::bigint else m.fence end`,
  flag: holdsKnown(param),
  attempt: 'l.attempt',
  key: 'm.status',
  json: 'l.waiting_for::text',
  view: 'm.view::text',
});

/** Columns of the row `turn` for a run that is accepted already, from relation `snap`. */
const heldByEarlier = {
  pk: 'snap.pk',
  seq: 'snap.last_seq',
  fence: '0::bigint',
  flag: 'false',
  attempt: 'null::integer',
  key: `'queued'`,
  json: 'null::text',
  view: 'null::text',
};

/** SQL of the row `turn`, from relations `snap`, `moved` and `ledger`. */
export const selectHeld = (
  param: TurnParams,
): string => `${selectTurnRows('turn', heldByMoved(param), 'moved m left join ledger l on true')}
    union all
    ${selectTurnRows('turn', heldByEarlier, 'snap where in_progress')}`;

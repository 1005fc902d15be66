import type { Queryable } from '@agentmesh/lib/pg';
import { laterUpdate } from '../created-at.ts';
import { hasKey } from '../key-condition.ts';
import { type StoredStateRow, toPublicState, visibleState } from '../state.ts';
import { type AddedEvents, createWriteQuery } from '../write.ts';
import { readOutcome, startedIn, type StartedTurn, selectTurnRows, type TurnRow } from './turn-outcome.ts';
import { grown, heldAtOnce, startedRows } from './turn-query.ts';
import {
  nothingKnown,
  type RunRequest,
  type TurnParams,
  type TurnStart,
  type TurnValues,
  turnValues,
} from './turn-values.ts';

interface TakeParts {
  readonly writes: string;
  readonly added: AddedEvents;
  /** SQL condition on session `s`, besides its key and its free turn: the session is as the statement reads it. */
  readonly where: string;
}

/** SQL of the CTEs that take the free turn of a session for a new run: `m` is the session then. */
const takeFree = (param: TurnParams, { writes, added, where }: TakeParts): string => `with m as (
      update sessions s set version = s.version + 1, turn = ${param.invocationId}, fence = s.fence + 1,
        last_seq = s.last_seq + ${added.count},
        last_update_time = ${laterUpdate('s.last_update_time', added.lastTime)}, bytes = ${grown(param)}
      where ${hasKey(param, 's')} and s.turn is null and ${where}
      returning s.account_id, s.app_name, s.user_id, s.pk, s.fence, s.view, s.last_seq - ${added.count} as base
    ), ledger as (
      insert into runs (account_id, app_name, user_id, session_id, session_pk, invocation_id, status, owner, fence, attempt,
        first_seq, started_at, custom_metadata, streaming, bound)
      select account_id, app_name, user_id, ${param.sessionId}, pk, ${param.invocationId}, 'running', ${param.owner}, fence, 1,
        base + 1, now(), ${param.customMetadata}::json, ${param.streaming}::boolean, ${param.isBound}::boolean
      from m
    )${writes}`;

/** A session that changed between snapshot and write has another version than in the snapshot. */
const isUnchanged = (param: TurnParams): string => `s.version = (select version from sessions where ${hasKey(param)})`;

/**
 * The event that the executor knows as the newest is that of the session, in the snapshot, too: a row has to match there to be found. State changes only with
 * events, so the state of the snapshot is current. The time tells the event from another one that got its sequence after the restore of a backup, without
 * a look at the event: no later event of a session has an earlier time there.
 */
const isKnown = (param: TurnParams): string =>
  `s.pk = ${param.knownPk} and s.last_seq = ${param.knownSeq} and s.last_update_time = ${param.knownTime}`;

const rare = [['customMetadata'], ['streaming'], ['isBound']] as const;

const takeFreeTurnQuery = createWriteQuery<TurnValues, TurnRow>({
  name: 'take-free-turn',
  source: 'm',
  rare,
  text: (param, writes, added) => `${takeFree(param, { writes, added, where: isUnchanged(param) })}
    ${selectTurnRows('turn', heldAtOnce(added), 'm')}
    union all
    ${startedRows(param, { from: 'm', after: '0' })}`,
});

/** One for each key of the state, and one of nulls when there is none. */
interface KnownTurnRow extends StoredStateRow {
  readonly fence: bigint;
  readonly view: string | null;
}

/** The executor knows all events: none is looked for, which would take a fifth of the statement's time. */
const takeKnownTurnQuery = createWriteQuery<TurnValues, KnownTurnRow>({
  name: 'take-known-turn',
  source: 'm',
  rare,
  text: (param, writes, added) => `${takeFree(param, { writes, added, where: isKnown(param) })}
    select m.fence, m.view::text as view, t.scope, t.key, t.value::text as json
    from m left join lateral (${visibleState}) t on true`,
});

/**
 * Takes a free turn for a new run that nobody awaits: the usual case, in fewer steps than `acceptTurn`. Undefined when the turn is not free, when
 * there is no such session, when it has other events than the executor knows, or when it was changed meanwhile: then nothing was written.
 */
export async function takeFreeTurn(
  db: Queryable,
  start: TurnStart,
  request: RunRequest,
): Promise<StartedTurn | undefined> {
  const values = turnValues(start, request);
  if (start.known.sessionPk === nothingKnown.sessionPk)
    return startedIn(readOutcome(await takeFreeTurnQuery(db, values, start), start));
  return toKnownTurn(start, await takeKnownTurnQuery(db, values, start));
}

function toKnownTurn({ known, events }: TurnStart, rows: readonly KnownTurnRow[]): StartedTurn | undefined {
  const [row] = rows;
  if (row === undefined) return undefined;
  return {
    sessionPk: known.sessionPk,
    fence: row.fence,
    attempt: 1,
    lastSeq: known.lastSeq + events.length,
    state: toPublicState(rows),
    waitingFor: null,
    view: row.view,
    holdsKnown: true,
    recent: [],
  };
}

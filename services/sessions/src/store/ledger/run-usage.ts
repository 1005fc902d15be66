import { createQuery, type Queryable } from '@agentmesh/lib/pg';
import { maxPageLimit } from '../../page-limit.ts';
import type { RunOfSession } from '../../session-key.ts';
import { pageOfEvents } from '../events/page-of-events.ts';
import { isRun } from '../key-condition.ts';

const findUsage = createQuery<RunOfSession, { usage: string | null }>({
  name: 'find-run-usage',
  text: (param) => `select usage::text as usage from runs
    where ${isRun(param)}`,
});

/** JSON of what the ended attempts of a run have used; null when that is nothing, undefined when the run is gone. */
export async function selectRunUsage(db: Queryable, run: RunOfSession): Promise<string | null | undefined> {
  const [row] = await findUsage(db, run);
  return row?.usage;
}

/** The turn of a run that goes on, with its first events in order. */
export interface TurnOfRun extends RunOfSession {
  /** JSON of what the run's ended attempts have used; null when that is nothing. */
  readonly usage: string | null;
  /** Seconds since the run was stored, by the database's clock. */
  readonly age: number;
  readonly events: readonly TurnEvent[];
  /** Whether the turn has no other events. */
  readonly isWhole: boolean;
}

interface TurnEvent {
  readonly seq: number;
  /** Unix time in seconds. */
  readonly timestamp: number;
  readonly json: string;
}

interface Names {
  readonly accountIds: readonly string[];
  readonly sessionPks: readonly bigint[];
  readonly invocationIds: readonly string[];
  readonly limit: number;
  readonly maxBytes: number;
}

/** The run has no event in its turn where `seq` is null. */
type TurnRow = RunOfSession & Pick<TurnOfRun, 'usage' | 'age'> & (TurnEvent | { readonly seq: null });

const listTurns = createQuery<Names, TurnRow>({
  name: 'list-turns-of-runs',
  text: (param) => {
    const page = pageOfEvents({
      where:
        'account_id = l.account_id and session_pk = l.session_pk and seq > r.turn_after and invocation_id = l.invocation_id',
      order: 'asc',
      limit: param.limit,
      maxBytes: param.maxBytes,
    });
    return `select l.account_id as "accountId", l.session_pk as "sessionPk", l.invocation_id as "invocationId", r.usage, r.age, e.seq, e.ts as timestamp, e.json
      from unnest(${param.accountIds}::uuid[], ${param.sessionPks}::bigint[], ${param.invocationIds}::text[])
        as l(account_id, session_pk, invocation_id)
      cross join lateral (
        select usage::text as usage, extract(epoch from now() - created_at)::float8 as age,
          coalesce(end_seq, first_seq - 1, 0) as turn_after from runs
        where account_id = l.account_id and session_pk = l.session_pk and invocation_id = l.invocation_id offset 0
      ) r
      left join lateral (${page}) e on true
      order by l.session_pk, e.seq`;
  },
});

/** The turns of runs that are not gone. The event of a turn whose JSON reaches `maxBytes` is the last that is read. */
export async function selectTurnsOfRuns(
  db: Queryable,
  runs: readonly RunOfSession[],
  maxBytes: number,
): Promise<TurnOfRun[]> {
  if (runs.length === 0) return [];
  const names = {
    accountIds: runs.map((run) => run.accountId),
    sessionPks: runs.map((run) => run.sessionPk),
    invocationIds: runs.map((run) => run.invocationId),
  };
  const rows = await listTurns(db, { ...names, limit: maxPageLimit, maxBytes });
  const byRun = Map.groupBy(
    rows,
    ({ accountId, sessionPk, invocationId }) => `${accountId}/${sessionPk}/${invocationId}`,
  );
  return [...byRun.values()].flatMap((ofRun) => toTurn(ofRun, maxBytes));
}

function toTurn(rows: readonly TurnRow[], maxBytes: number): TurnOfRun[] {
  const events = rows.filter((row): row is TurnRow & TurnEvent => row.seq !== null);
  const bytes = events.reduce((sum, { json }) => sum + Buffer.byteLength(json), 0);
  // A page may end a little before its limit of bytes, because it is judged by stored sizes, too.
  const isWhole = events.length < maxPageLimit && bytes < maxBytes / 2;
  return rows.slice(0, 1).map(({ accountId, sessionPk, invocationId, usage, age }) => ({
    accountId,
    sessionPk,
    invocationId,
    usage,
    age,
    events,
    isWhole,
  }));
}

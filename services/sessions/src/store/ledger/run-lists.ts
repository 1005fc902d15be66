import { createQuery, type Placeholders, type Query, type Queryable } from '@agentmesh/lib/pg';
import type { CheckedKey } from '../../session-key.ts';
import { latestMoment, momentOf } from '../created-at.ts';
import { hasKey } from '../key-condition.ts';
import { ledgerColumns, type LedgerRow } from './ledger-run.ts';

/** A place in the order of creation. */
export interface RunPosition {
  /** Unix time in microseconds. */
  readonly createdAt: bigint;
  readonly position: bigint;
}

/** Runs to list. All filters must match. */
export interface RunFilter {
  readonly accountId: string;
  /** Empty for all. */
  readonly appName: string;
  /** Empty for all. */
  readonly userId: string;
  /** Empty for all. */
  readonly sessionId: string;
  /** Values of the column `status`. */
  readonly statuses: readonly string[];
  /** Empty for all. */
  readonly agentVersion: string;
  /** US dollars; 0 for all. */
  readonly minCost: number;
  /** Creation of the oldest run, in Unix microseconds. */
  readonly since: bigint;
  /** The place behind which the page begins; undefined for the first page. */
  readonly after: RunPosition | undefined;
  readonly limit: number;
}

/** A page of runs, newest first. */
export interface RunPage {
  readonly runs: readonly LedgerRow[];
  /** The place behind which the next page begins; undefined at the end. */
  readonly last: RunPosition | undefined;
}

/** `hasActive`: one of the statuses is that of a run that has not ended. */
type Values = Omit<RunFilter, 'after'> & RunPosition & { readonly hasActive: boolean };

/** The row with this number among those that were read. It belongs to the page if `matches`. */
type ScannedRow = LedgerRow & { readonly matches: boolean; readonly number: number };

/** Most rows that a page reads in an index of which only some match the filters. */
const mostScanned = 5000;

/** SQL condition: row `r` is of a run that has ended. The indexes of lists have it, too. */
const isListed = 'r.ended_at is not null and r.attempt >= 0';

const newestFirst = 'order by r.created_at desc, r.position desc';

/** SQL condition: row `r` is in the range of the page. */
const inRange = (param: Placeholders<Values>): string =>
  `(r.created_at, r.position) < (${momentOf(param.createdAt)}, ${param.position}) and r.created_at >= ${momentOf(param.since)}`;

/** SQL condition: row `r` is of a run that the version of its agent has answered. */
const isOfVersion = (param: Placeholders<Pick<Values, 'agentVersion'>>): string =>
  `(${param.agentVersion}::text = '' or r.agent ->> 'version' = ${param.agentVersion})`;

/** SQL condition: row `r` is of a run that has cost so much. */
const isSoDear = (param: Placeholders<Pick<Values, 'minCost'>>): string =>
  `(${param.minCost}::float8 = 0 or (r.usage ->> 'cost')::float8 >= ${param.minCost})`;

/** SQL condition: row `r` matches the filters. */
const matching = (param: Placeholders<Values>): string =>
  `(r.status = any(${param.statuses}::text[])
        and (${param.appName}::text = '' or r.app_name = ${param.appName})
        and (${param.userId}::text = '' or r.user_id = ${param.userId})
        and (${param.sessionId}::text = '' or r.session_id = ${param.sessionId})
        and ${isOfVersion(param)} and ${isSoDear(param)})`;

/** SQL of the runs of an account that match and have not ended. All of them are read, as long as `hasActive`: an account has few. */
const activeRuns = (
  param: Placeholders<Values>,
): string => `select ${ledgerColumns}, 0 as number, true as matches from runs r
      where r.account_id = ${param.accountId} and r.ended_at is null and ${param.hasActive}::boolean and ${inRange(param)} and ${matching(param)}
      ${newestFirst} limit ${param.limit}`;

/** SQL of rows of both parts in their order. */
const inOrder = (active: string, ended: string): string => `select l.* from (
      (${active})
      union all
      (${ended})
    ) l order by l.created desc, l.position desc`;

/** One look-up for each status. It reads only rows that it returns, unless there are further filters. */
const listByStatus = createQuery<Values, ScannedRow>({
  name: 'list-runs-by-status',
  text: (param) => {
    const ended = `select l.* from unnest(${param.statuses}::text[]) v (status)
    cross join lateral (
      select ${ledgerColumns}, 0 as number, true as matches from runs r
      where r.account_id = ${param.accountId} and ${isListed} and r.status = v.status and ${inRange(param)} and ${matching(param)}
      ${newestFirst} limit ${param.limit}
    ) l`;
    return `${inOrder(activeRuns(param), ended)} limit ${param.limit}`;
  },
});

/** Reads along the index of an app or a user, and stops at a number of rows. The last of these is returned even if it does not match. */
function createScan(name: string, where: (param: Placeholders<Values>) => string): Query<Values, ScannedRow> {
  return createQuery({
    name,
    text: (param) => {
      const ended = `select ${ledgerColumns}, r.number::integer as number, r.matches from (
        select r.*, ${matching(param)} as matches, row_number() over (${newestFirst}) as number from runs r
        where r.account_id = ${param.accountId} and ${isListed} and ${where(param)} and ${inRange(param)}
        ${newestFirst} limit ${mostScanned}
      ) r where r.matches or r.number = ${mostScanned} ${newestFirst} limit ${param.limit}`;
      return inOrder(activeRuns(param), ended);
    },
  });
}

const listOfApp = createScan('list-runs-of-app', (param) => `r.app_name = ${param.appName}`);
const listOfUser = createScan('list-runs-of-user', (param) => `r.user_id = ${param.userId}`);

/** Reads the runs of an account by their statuses, and stops at a number of rows of each. The last of these is returned even if it does not match. */
const listOfAccount = createQuery<Values & { readonly perStatus: number }, ScannedRow>({
  name: 'list-runs-of-account',
  text: (param) => {
    const ended = `select l.* from unnest(${param.statuses}::text[]) v (status)
    cross join lateral (
      select ${ledgerColumns}, r.number::integer as number, r.matches from (
        select r.*, ${matching(param)} as matches, row_number() over (${newestFirst}) as number from runs r
        where r.account_id = ${param.accountId} and ${isListed} and r.status = v.status and ${inRange(param)}
        ${newestFirst} limit ${param.perStatus}
      ) r where r.matches or r.number = ${param.perStatus} ${newestFirst} limit ${param.limit}
    ) l`;
    return inOrder(activeRuns(param), ended);
  },
});

/** Statuses of runs that have not ended. */
const active = new Set(['queued', 'granted', 'running', 'cancelling']);
/** Few runs have one of these statuses at once, so they select more than an app or a user does. */
const rare = new Set([...active, 'waiting']);

/** Lists runs by filters on app, user, session, status, version of the agent, cost and time. A session id alone may belong to sessions of several apps and users. */
export async function selectRunPage(db: Queryable, filter: RunFilter): Promise<RunPage> {
  const { appName, userId, sessionId, agentVersion, minCost, statuses, limit } = filter;
  const hasActive = statuses.some((status) => active.has(status));
  const values = { ...filter, ...placeAfter(filter), hasActive, limit: limit + 1 };
  const isOfAccount = appName === '' && userId === '';
  const isOfAll = isOfAccount && sessionId === '' && agentVersion === '' && minCost === 0;
  if (statuses.every((status) => rare.has(status)) || isOfAll) return pageOf(await listByStatus(db, values), limit);
  if (!isOfAccount) return scannedPage(await (userId === '' ? listOfApp : listOfUser)(db, values), mostScanned, limit);
  const perStatus = Math.floor(mostScanned / Math.max(1, statuses.length));
  return scannedPage(await listOfAccount(db, { ...values, perStatus }), perStatus, limit);
}

/** The page of rows of scans that stop at row `most`. Runs behind the end of such a scan are not known, so the page ends there, also for the others. */
function scannedPage(rows: readonly ScannedRow[], most: number, limit: number): RunPage {
  const end = rows.findIndex((row) => row.number === most);
  const known = end === -1 ? rows : rows.slice(0, end + 1);
  const page = pageOf(
    known.filter((row) => row.matches),
    limit,
  );
  const last = known.at(-1);
  return page.last === undefined && end !== -1 && last !== undefined ? { ...page, last: placeOf(last) } : page;
}

type SessionFilter = Omit<RunFilter, 'appName' | 'userId' | 'sessionId'>;
type SessionValues = CheckedKey & Omit<SessionFilter, 'after'> & RunPosition;

/** The session's own row is returned without a run when it has none that match. */
const listOfSession = createQuery<SessionValues, LedgerRow | { readonly position: null }>({
  name: 'list-runs-of-session',
  text: (param) => {
    const runs = (which: string): string => `select ${ledgerColumns} from runs r
        where r.account_id = s.account_id and r.session_pk = s.pk and r.ended_at is ${which} and (r.status = any(${param.statuses}::text[])) is true
          and ${isOfVersion(param)} and ${isSoDear(param)} and (r.created_at, r.position) < (${momentOf(param.createdAt)}, ${param.position}) and r.created_at >= ${momentOf(param.since)}
        ${newestFirst} limit ${param.limit}`;
    return `with s as (select account_id, pk from sessions where ${hasKey(param)})
    select l.* from s left join lateral (
      (${runs('null')})
      union all
      (${runs('not null')})
    ) l on true
    order by l.created desc, l.position desc limit ${param.limit}`;
  },
});

/** Lists runs of one session; undefined when there is no such session. It reads all runs of the session. */
export async function selectSessionRuns(
  db: Queryable,
  key: CheckedKey,
  filter: SessionFilter,
): Promise<RunPage | undefined> {
  const rows = await listOfSession(db, { ...filter, ...key, ...placeAfter(filter), limit: filter.limit + 1 });
  if (rows.length === 0) return undefined;
  return pageOf(
    rows.filter((row) => row.position !== null),
    filter.limit,
  );
}

const beforeNewest: RunPosition = { createdAt: latestMoment, position: 0n };

function placeAfter({ after }: Pick<RunFilter, 'after'>): RunPosition {
  return after ?? beforeNewest;
}

/** `rows` has one row more than the page when others follow. */
function pageOf(rows: readonly LedgerRow[], limit: number): RunPage {
  const runs = rows.slice(0, limit);
  const end = runs.at(-1);
  return { runs, last: rows.length > limit && end !== undefined ? placeOf(end) : undefined };
}

function placeOf({ created, position }: LedgerRow): RunPosition {
  return { createdAt: created, position };
}

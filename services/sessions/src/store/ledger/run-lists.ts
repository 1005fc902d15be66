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

type Values = Omit<RunFilter, 'after'> & RunPosition;

/** The row with this number among those that were read. It belongs to the page if `matches`. */
type ScannedRow = LedgerRow & { readonly matches: boolean; readonly number: number };

/** Most rows that a page reads in an index of which only some match the filters. */
const mostScanned = 5000;

const newestFirst = 'order by r.created_at desc, r.position desc';

/** SQL condition: row `r` is in the range of the page. */
const inRange = (param: Placeholders<Values>): string =>
  `(r.created_at, r.position) < (${momentOf(param.createdAt)}, ${param.position}) and r.created_at >= ${momentOf(param.since)}`;

/** SQL condition: row `r` matches the filters. */
const matching = (param: Placeholders<Values>): string =>
  `(r.status = any(${param.statuses}::text[])
        and (${param.appName}::text = '' or r.app_name = ${param.appName})
        and (${param.userId}::text = '' or r.user_id = ${param.userId})
        and (${param.sessionId}::text = '' or r.session_id = ${param.sessionId})) is true`;

/** One look-up for each status. It reads only rows that it returns, unless there are further filters. */
const listByStatus = createQuery<Values, LedgerRow>({
  name: 'list-runs-by-status',
  text: (param) => `select l.* from unnest(${param.statuses}::text[]) v (status)
    cross join lateral (
      select ${ledgerColumns} from runs r
      where r.account_id = ${param.accountId} and r.status = v.status and ${inRange(param)} and ${matching(param)}
      ${newestFirst} limit ${param.limit}
    ) l
    order by l.created desc, l.position desc limit ${param.limit}`,
});

/** Reads along the index of an app or a user, and stops at a number of rows. The last of these is returned even if it does not match. */
function createScan(name: string, where: (param: Placeholders<Values>) => string): Query<Values, ScannedRow> {
  return createQuery({
    name,
    text: (param) => `select ${ledgerColumns}, r.matches, r.number::integer as number from (
        select r.*, ${matching(param)} as matches, row_number() over (${newestFirst}) as number from runs r
        where r.account_id = ${param.accountId} and ${where(param)} and ${inRange(param)}
        ${newestFirst} limit ${mostScanned}
      ) r where r.matches or r.number = ${mostScanned} ${newestFirst} limit ${param.limit}`,
  });
}

const listOfApp = createScan('list-runs-of-app', (param) => `r.app_name = ${param.appName}`);
const listOfUser = createScan('list-runs-of-user', (param) => `r.user_id = ${param.userId}`);

/** Reads the runs of an account by their statuses, and stops at a number of rows of each. The last of these is returned even if it does not match. */
const listOfAccount = createQuery<Values & { readonly perStatus: number }, ScannedRow>({
  name: 'list-runs-of-account',
  text: (param) => `select l.* from unnest(${param.statuses}::text[]) v (status)
    cross join lateral (
      select ${ledgerColumns}, r.matches, r.number::integer as number from (
        select r.*, ${matching(param)} as matches, row_number() over (${newestFirst}) as number from runs r
        where r.account_id = ${param.accountId} and r.status = v.status and ${inRange(param)}
        ${newestFirst} limit ${param.perStatus}
      ) r where r.matches or r.number = ${param.perStatus} ${newestFirst} limit ${param.limit}
    ) l
    order by l.created desc, l.position desc`,
});

async function selectOfAccount(db: Queryable, values: Values, limit: number): Promise<RunPage> {
  const perStatus = Math.floor(mostScanned / Math.max(1, values.statuses.length));
  const rows = await listOfAccount(db, { ...values, perStatus });
  // Runs behind the end of the rows of one status are not known, so the page ends there, also for the others.
  const end = rows.findIndex((row) => row.number === perStatus);
  const known = end === -1 ? rows : rows.slice(0, end + 1);
  const page = pageOf(
    known.filter((row) => row.matches),
    limit,
  );
  const last = known.at(-1);
  return page.last === undefined && end !== -1 && last !== undefined ? { ...page, last: placeOf(last) } : page;
}

const open = new Set(['queued', 'granted', 'running', 'cancelling', 'waiting']);

/** Lists runs by filters on app, user, session, status and time. A session id alone may belong to sessions of several apps and users. */
export async function selectRunPage(db: Queryable, filter: RunFilter): Promise<RunPage> {
  const { appName, userId, sessionId, statuses, limit } = filter;
  const values = { ...filter, ...placeAfter(filter), limit: limit + 1 };
  // Few runs are open at once, so their statuses select more than an app or a user does.
  const isOpen = statuses.every((status) => open.has(status));
  const isOfAccount = appName === '' && userId === '';
  if (isOpen || (isOfAccount && sessionId === '')) return pageOf(await listByStatus(db, values), limit);
  if (isOfAccount) return selectOfAccount(db, values, limit);
  const rows = await (userId === '' ? listOfApp : listOfUser)(db, values);
  const end = rows.at(-1);
  const page = pageOf(
    rows.filter((row) => row.matches),
    limit,
  );
  return page.last === undefined && end?.number === mostScanned ? { ...page, last: placeOf(end) } : page;
}

type SessionFilter = Omit<RunFilter, 'appName' | 'userId' | 'sessionId'>;
type SessionValues = CheckedKey & Omit<SessionFilter, 'after'> & RunPosition;

/** The session's own row is returned without a run when it has none that match. */
const listOfSession = createQuery<SessionValues, LedgerRow | { readonly position: null }>({
  name: 'list-runs-of-session',
  text: (param) => `with s as (select pk from sessions where ${hasKey(param)})
    select l.* from s left join lateral (
      select ${ledgerColumns} from runs r
      where r.session_pk = s.pk and r.status = any(${param.statuses}::text[])
        and (r.created_at, r.position) < (${momentOf(param.createdAt)}, ${param.position}) and r.created_at >= ${momentOf(param.since)}
      ${newestFirst} limit ${param.limit}
    ) l on true
    order by l.created desc, l.position desc`,
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

import { createQuery, type Placeholders, type Queryable } from '@agentmesh/lib/pg';
import { ledgerColumns, type LedgerRow } from './ledger-run.ts';

/** A run by the names that its account knows. */
export interface RunName {
  readonly accountId: string;
  readonly invocationId: string;
  /** Only a run of this user; empty for any. */
  readonly userId: string;
}

/** SQL that reads the newest run with this id as row `r`; `among` is a further condition. */
export const newestRun = (param: Placeholders<RunName>, among = 'true'): string => `from runs r
    where r.account_id = ${param.accountId} and r.invocation_id = ${param.invocationId}
      and (${param.userId}::text = '' or r.user_id = ${param.userId}) and ${among}
    order by r.created_at desc, r.position desc limit 1`;

/** A run, and the names that its session must have; empty for any. */
export interface PlacedRunName extends RunName {
  readonly appName?: string;
  readonly sessionId?: string;
}

/** `newestRun` among the runs of such sessions; `among` is a further condition. */
export const newestPlacedRun = (param: Placeholders<Required<PlacedRunName>>, among = 'true'): string => {
  const ofApp = `(${param.appName}::text = '' or r.app_name = ${param.appName})`;
  const ofSession = `(${param.sessionId}::text = '' or r.session_id = ${param.sessionId})`;
  return newestRun(param, `${ofApp} and ${ofSession} and ${among}`);
};

/** A run whose session may be known by its number; 0 for any. */
interface NumberedRunName extends PlacedRunName {
  readonly sessionPk?: bigint;
}

const getRunQuery = createQuery<Required<NumberedRunName>, LedgerRow>({
  name: 'get-run',
  text: (param) =>
    `select ${ledgerColumns} ${newestPlacedRun(param, `(${param.sessionPk}::bigint = 0 or r.session_pk = ${param.sessionPk})`)}`,
});

/** The newest run of the account with this id; undefined when there is none. */
export async function selectRun(db: Queryable, name: NumberedRunName): Promise<LedgerRow | undefined> {
  const [row] = await getRunQuery(db, { appName: '', sessionId: '', sessionPk: 0n, ...name });
  return row;
}

interface AppNames {
  readonly accountId: string;
  readonly appNames: readonly string[];
}

const countActive = createQuery<AppNames, { app_name: string; active: number }>({
  name: 'count-active-runs',
  text: (param) => `select app_name, count(*)::integer as active from runs
    where account_id = ${param.accountId} and ended_at is null and (app_name = any(${param.appNames}::text[])) is true group by app_name`,
});

const listLastRuns = createQuery<AppNames, LedgerRow>({
  name: 'list-last-runs',
  text: (param) => `select distinct on (l.app_name) l.* from (
      select ${ledgerColumns} from (
        select distinct on (app_name) * from runs
        where account_id = ${param.accountId} and ended_at is null and (app_name = any(${param.appNames}::text[])) is true
        order by app_name, created_at desc, position desc
      ) r
      union all
      select ended.* from unnest(${param.appNames}::text[]) a (app_name) cross join lateral (
        select ${ledgerColumns} from runs r
        where r.account_id = ${param.accountId} and r.app_name = a.app_name and r.ended_at is not null and r.attempt >= 0
        order by r.created_at desc, r.position desc limit 1
      ) ended
    ) l order by l.app_name, l.created desc, l.position desc`,
});

/** The number of unfinished runs that do not wait for an answer, and the newest run, of one app. */
export interface AppSummary {
  readonly active: number;
  readonly lastRun: LedgerRow | undefined;
}

/** Summaries of apps by name. */
export async function selectAppSummaries(db: Queryable, apps: AppNames): Promise<Map<string, AppSummary>> {
  const [counts, lastRuns] = await Promise.all([countActive(db, apps), listLastRuns(db, apps)]);
  const active = new Map(counts.map((row) => [row.app_name, row.active]));
  const last = new Map(lastRuns.map((row) => [row.app_name, row]));
  return new Map(apps.appNames.map((name) => [name, { active: active.get(name) ?? 0, lastRun: last.get(name) }]));
}

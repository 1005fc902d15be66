import { createQuery, type Queryable } from '@agentmesh/lib/pg';

/** Days for which runs and events are kept; null: for ever. */
export type Days = number | null;

/** The account of apps of `AGENTS_DIR`, which all accounts use. */
export const everyAccount = '00000000-0000-0000-0000-000000000000';
/** Stands for ever: longer than all others. */
const forever = 2_147_483_647;

export interface AppRule {
  /** `everyAccount` for an app of `AGENTS_DIR`. */
  readonly accountId: string;
  readonly appName: string;
  readonly version: number;
  /** Undefined: the app says nothing. */
  readonly days: Days | undefined;
}

interface DeclareValues {
  readonly accountId: string;
  readonly appNames: readonly string[];
  readonly versions: readonly number[];
  readonly days: readonly (number | null)[];
}

const declare = createQuery<DeclareValues>({
  name: 'declare-retention',
  text: (param) => `insert into app_retention as a (account_id, app_name, version, days)
    select ${param.accountId}, n.* from unnest(${param.appNames}::text[], ${param.versions}::integer[], ${param.days}::integer[])
      as n(app_name, version, days)
    left join lateral (
      select version, days from app_retention k where k.account_id = ${param.accountId} and k.app_name = n.app_name offset 0
    ) known on true
    where known.version is null or known.version < n.version or (known.version = n.version and known.days is distinct from n.days)
    on conflict (account_id, app_name) do update set version = excluded.version, days = excluded.days,
      former_days = case when a.days is not distinct from excluded.days then a.former_days
        when a.changed_at > now() - interval '1 day' then greatest(a.former_days, a.days) else a.days end,
      silent_until = case when a.days is null then now() else a.silent_until end,
      changed_at = case when a.days is not distinct from excluded.days then a.changed_at else now() end
    where a.version < excluded.version or (a.version = excluded.version and a.days is distinct from excluded.days)`,
});

/** Stores what apps say. Each app occurs once. Rules that are stored already are not written again. */
export async function upsertAppRules(db: Queryable, rules: readonly AppRule[]): Promise<void> {
  // In one order, so that replicas do not wait for each other in a circle.
  const sorted = rules.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  for (const [accountId, ofAccount] of Map.groupBy(sorted, (rule) => rule.accountId)) {
    await declare(db, {
      accountId,
      appNames: ofAccount.map(({ appName }) => appName),
      versions: ofAccount.map(({ version }) => version),
      days: ofAccount.map(({ days }) => (days === undefined ? null : (days ?? forever))),
    });
  }
}

function placeOf({ accountId, appName }: AppRule): string {
  return `${accountId}/${appName}`;
}

interface DeclaredRow {
  readonly app_name: string;
  readonly days: number | null;
  readonly former_days: number | null;
  readonly was_silent: boolean;
}

const list = createQuery<{ accountId: string }, DeclaredRow>({
  name: 'list-app-retention',
  text: (param) => `select app_name, days,
      case when changed_at > now() - interval '1 day' then former_days end as former_days,
      silent_until > now() - interval '1 day' as was_silent
    from app_retention where account_id = ${param.accountId} order by app_name`,
});

/** Declarations of the apps of an account that count now, by app; of apps of `AGENTS_DIR` for `everyAccount`. */
export async function selectAppRules(db: Queryable, accountId: string): Promise<Map<string, (Days | undefined)[]>> {
  return new Map((await list(db, { accountId })).map((row) => [row.app_name, declarationsOf(row)]));
}

function declarationsOf({ days, former_days: former, was_silent: wasSilent }: DeclaredRow): (Days | undefined)[] {
  const said = days === null ? undefined : daysOf(days);
  return [said, ...(former === null ? [] : [daysOf(former)]), ...(wasSilent ? [undefined] : [])];
}

function daysOf(days: number): Days {
  return days === forever ? null : days;
}

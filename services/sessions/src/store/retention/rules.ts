import { createQuery, type Queryable } from '@agentmesh/lib/pg';

/** Days for which runs and events are kept. */
export interface RetentionRule {
  /** Empty: all apps without a rule of their own. */
  readonly appName: string;
  /** Null: for ever. */
  readonly days: number | null;
}

interface RuleRow {
  readonly app_name: string;
  readonly days: number | null;
}

const list = createQuery<{ accountId: string }, RuleRow>({
  name: 'list-retention',
  text: (param) => `select app_name, days from retention where account_id = ${param.accountId} order by app_name`,
});

/** The rules of an account, in the order of their apps. */
export async function selectRules(db: Queryable, accountId: string): Promise<RetentionRule[]> {
  return (await list(db, { accountId })).map(({ app_name: appName, days }) => ({ appName, days }));
}

interface ReplaceValues {
  readonly accountId: string;
  readonly appNames: readonly string[];
  readonly days: readonly (number | null)[];
}

const replace = createQuery<ReplaceValues>({
  name: 'replace-retention',
  text: (param) => `with gone as (
      delete from retention where account_id = ${param.accountId} and app_name <> all(${param.appNames}::text[])
    )
    insert into retention (account_id, app_name, days)
    select ${param.accountId}, app_name, days from unnest(${param.appNames}::text[], ${param.days}::integer[]) as rule(app_name, days)
    on conflict (account_id, app_name) do update set days = excluded.days`,
});

/** Replaces all rules of an account. No two of them have the same app. */
export async function replaceRules(db: Queryable, accountId: string, rules: readonly RetentionRule[]): Promise<void> {
  const sorted = rules.toSorted((a, b) => (a.appName < b.appName ? -1 : 1));
  await replace(db, {
    accountId,
    appNames: sorted.map(({ appName }) => appName),
    days: sorted.map(({ days }) => days),
  });
}

const nextWithRules = createQuery<{ after: string }, { account_id: string }>({
  name: 'next-retaining-account',
  text: (param) => `select account_id from (
      (select account_id from retention where account_id > ${param.after} order by account_id limit 1)
      union all
      (select account_id from app_retention where account_id > ${param.after} order by account_id limit 1)
    ) accounts order by account_id limit 1`,
});

const nextWithData = createQuery<{ after: string }, { account_id: string }>({
  name: 'next-account',
  text: (param) => `select account_id from (
      (select account_id from sessions where account_id > ${param.after} order by account_id limit 1)
      union all
      (select account_id from runs where account_id > ${param.after} order by account_id limit 1)
    ) accounts order by account_id limit 1`,
});

/** The next account behind `after` that has rules, or agents with rules, or with `all` that has sessions or runs. */
export async function nextAccount(db: Queryable, after: string, all: boolean): Promise<string | undefined> {
  const [row] = await (all ? nextWithData : nextWithRules)(db, { after });
  return row?.account_id;
}

const nextAppQuery = createQuery<{ accountId: string; after: string }, { app_name: string }>({
  name: 'next-app',
  text: (param) => `select app_name from (
      (select app_name from sessions where account_id = ${param.accountId} and app_name > ${param.after} order by app_name limit 1)
      union all
      (select app_name from runs where account_id = ${param.accountId} and app_name > ${param.after} and ended_at is not null and attempt >= 0
        order by app_name limit 1)
    ) apps order by app_name limit 1`,
});

/** The next app behind `after` in which the account has sessions, or runs that have ended. */
export async function nextApp(db: Queryable, accountId: string, after: string): Promise<string | undefined> {
  const [row] = await nextAppQuery(db, { accountId, after });
  return row?.app_name;
}

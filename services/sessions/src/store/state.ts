import { createQuery, type Queryable } from '@agentmesh/lib/pg';
import type { StateChange, StateMap } from '../state-delta.ts';
import type { Fragment } from './events.ts';

/**
 * SQL of the CTEs `state_set` and `state_unset`, which store state changes; `pushState` gives the values of the parameters from
 * `first` on. `source` is a relation of one row with account_id, app_name, user_id and pk.
 */
export function writeState(source: string, first: number): Fragment {
  const changes = `${source} m, unnest($${first}::text[], $${first + 1}::text[], $${first + 2}::text[]) as c(scope, key, value)`;
  const scope = `case c.scope when 'app' then 'app' when 'user' then 'user:' || m.user_id else 'session:' || m.pk end`;
  const text = `state_set as (
      insert into state (account_id, app_name, scope, key, value)
      select m.account_id, m.app_name, ${scope}, c.key, c.value::json from ${changes} where c.value is not null
      on conflict (account_id, app_name, scope, key) do update set value = excluded.value
    ), state_unset as (
      delete from state t using ${changes}
      where c.value is null and t.account_id = m.account_id and t.app_name = m.app_name and t.scope = ${scope} and t.key = c.key
    )`;
  return { text, parameters: 3 };
}

/** Appends the values for `writeState`. They are sorted, so writers lock rows of the state in the same order and never deadlock. */
export function pushState(to: unknown[], changes: readonly StateChange[]): void {
  const sorted = changes.toSorted((a, b) => compare(a.scope, b.scope) || compare(a.key, b.key));
  to.push(
    sorted.map(({ scope }) => scope),
    sorted.map(({ key }) => key),
    sorted.map(({ value }) => value),
  );
}

/** SQL condition: row `t` of state is visible in the session that `m` names by app_name, user_id and pk. */
export const visibleState = `t.account_id = m.account_id and t.app_name = m.app_name
  and t.scope = any(array['app', 'user:' || m.user_id, 'session:' || m.pk])`;

/** SQL expression: the key of row `t` of state as clients see it. */
export const publicKey = `case when t.scope = 'app' then 'app:' || t.key
      when starts_with(t.scope, 'user:') then 'user:' || t.key else t.key end`;

/** The sessions of one user in one application. */
export interface ListScope {
  readonly accountId: string;
  readonly appName: string;
  readonly userId: string;
}

const listSharedState = createQuery<ListScope, StateRow>({
  name: 'list-shared-state',
  text: (param) => `select ${publicKey} as key, t.value::text as json from state t
    where t.account_id = ${param.accountId} and t.app_name = ${param.appName}
      and t.scope = any(array['app', 'user:' || ${param.userId}::text])`,
});

/** App and user state of one user in one application. */
export async function selectSharedState(db: Queryable, scope: ListScope): Promise<StateMap> {
  return toState(await listSharedState(db, scope));
}

/** The key as clients see it, and the value as JSON text. */
export interface StateRow {
  readonly key: string;
  readonly json: string;
}

/** Merged state of such rows. */
export function toState(rows: readonly StateRow[]): StateMap {
  const state: StateMap = new Map();
  for (const row of rows) state.set(row.key, row.json);
  return state;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

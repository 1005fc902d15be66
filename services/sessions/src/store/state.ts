import type { Queryable, Statement } from '@agentmesh/lib/pg';
import type { StateChange, StateMap } from '../state-delta.ts';
import type { Fragment } from './events.ts';
import type { ListScope } from './session-pages.ts';

/**
 * CTEs `state_set` and `state_unset` that apply the changes of `stateParameters` from parameter `first` on. `source` is a
 * relation of one row with account_id, app_name, user_id and pk.
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

/** Parameters for `writeState`, in one order everywhere, so that two writers never wait for each other in a circle. */
export function stateParameters(changes: readonly StateChange[]): unknown[] {
  const sorted = changes.toSorted((a, b) => compare(a.scope, b.scope) || compare(a.key, b.key));
  return [
    sorted.map((change) => change.scope),
    sorted.map((change) => change.key),
    sorted.map((change) => change.value),
  ];
}

/** SQL condition: row `t` of state is visible in the session that `m` names by app_name, user_id and pk. */
export const visibleState = `t.account_id = m.account_id and t.app_name = m.app_name
  and t.scope = any(array['app', 'user:' || m.user_id, 'session:' || m.pk])`;

/** SQL expression: the key of row `t` of state as clients see it. */
export const publicKey = `case when t.scope = 'app' then 'app:' || t.key when starts_with(t.scope, 'user:') then 'user:' || t.key else t.key end`;

const shared: Statement = {
  name: 'shared-state',
  text: `select ${publicKey} as key, t.value::text as json from state t
    where t.account_id = $1 and t.app_name = $2 and t.scope = any(array['app', 'user:' || $3::text])`,
};

/** App and user state of one user in one application. */
export async function readSharedState(db: Queryable, scope: ListScope): Promise<StateMap> {
  return toState(await db.query<StateRow>(shared, scope));
}

/** A row of state; one without a key says something else. */
export interface StateRow {
  readonly key: string | null;
  readonly json: string;
}

export function toState(rows: readonly StateRow[]): StateMap {
  const state: StateMap = new Map();
  for (const row of rows) if (row.key !== null) state.set(row.key, row.json);
  return state;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

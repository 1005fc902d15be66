import { createQuery, type Queryable } from '@agentmesh/lib/pg';
import type { StateChange, StateMap, StateScope } from '../state-delta.ts';
import type { Fragment } from './events/events.ts';
import { addedByScope } from './sizes.ts';

/** SQL expressions of the scopes of a state, by the session that `m` names by user_id and pk. */
const scopes: Readonly<Record<StateScope, string>> = {
  app: `'app'`,
  user: `'user:' || m.user_id`,
  session: `'session:' || m.pk`,
};

/**
 * SQL of the CTE `state_set`, which stores the values of state changes; `pushSet` gives its parameters from `first` on. `source` is a
 * relation of one row with account_id, app_name, user_id and pk.
 */
export function setState(source: string, first: number): Fragment {
  return setStateIf(source, first, '');
}

/** Like `setState`, behind the CTE of `sizeState`. */
export function setSizedState(source: string, first: number): Fragment {
  return setStateIf(source, first, 'where (select total from state_sized) is not null');
}

function setStateIf(source: string, first: number, condition: string): Fragment {
  const changes = `${source} m, unnest($${first}::text[], $${first + 1}::text[], $${first + 2}::text[]) as c(scope, key, value)`;
  const text = `state_set as (
      insert into state (account_id, app_name, scope, key, value, bytes)
      select m.account_id, m.app_name, ${scopeOf('c')}, c.key, c.value::json, octet_length(c.key) + octet_length(c.value)
      from ${changes} ${condition}
      on conflict (account_id, app_name, scope, key) do update set value = excluded.value, bytes = excluded.bytes
    )`;
  return { text, parameters: 3 };
}

/** SQL expression: the stored scope for the column `scope` of a relation. */
function scopeOf(relation: string): string {
  return `case ${relation}.scope when 'app' then ${scopes.app} when 'user' then ${scopes.user} else ${scopes.session} end`;
}

/**
 * SQL of the CTE `state_sized`, which fails when a scope would hold more than it may. Sizes are those of the statement's snapshot: statements that run
 * at the same time in several transactions may exceed the limit together. `pushSized` gives its parameters from `first` on; `source` as for `setState`.
 */
export function sizeState(source: string, first: number): Fragment {
  const [keyScopes, keys, added, bytes, most] = [0, 1, 2, 3, 4].map((offset) => `$${first + offset}`);
  const kept = `select sum(t.bytes)::bigint from state t
        where t.account_id = m.account_id and t.app_name = m.app_name and t.scope = ${scopeOf('v')}
          and not exists (select from unnest(${keyScopes}::text[], ${keys}::text[]) as c(scope, key) where c.scope = v.scope and c.key = t.key)`;
  const text = `state_sized as materialized (
      select max(at_most(v.bytes + coalesce((${kept}), 0), ${most}::bigint, 'state_too_large')) as total
      from ${source} m, unnest(${added}::text[], ${bytes}::bigint[]) as v(scope, bytes)
    )`;
  return { text, parameters: 5 };
}

interface Sized {
  readonly changes: readonly StateChange[];
  readonly isNew: boolean | undefined;
  /** Most bytes of a scope. */
  readonly most: number;
}

/** Appends the parameters of `sizeState`. Keys that are deleted do not count any more, either. */
export function pushSized(to: unknown[], { changes, isNew, most }: Sized): void {
  const added = [...addedByScope(changes)].filter(([scope]) => !(isNew === true && scope === 'session'));
  to.push(
    changes.map(({ scope }) => scope),
    changes.map(({ key }) => key),
    added.map(([scope]) => scope),
    added.map(([, bytes]) => bytes),
    most,
  );
}

/**
 * Appends the parameters of `setState` for the changes that have a value. They are sorted, so that writers lock rows of the state in the
 * same order and never deadlock.
 */
export function pushSet(to: unknown[], changes: readonly StateChange[]): void {
  const values = changes.filter(({ value }) => value !== null);
  const sorted = values.toSorted((a, b) => compare(a.scope, b.scope) || compare(a.key, b.key));
  to.push(
    sorted.map(({ scope }) => scope),
    sorted.map(({ key }) => key),
    sorted.map(({ value }) => value),
  );
}

/**
 * SQL of the CTEs that delete keys of the state, one for each scope: so each has one possible plan, a look-up by the prefix of the
 * primary key, also on a database without statistics. `pushUnset` gives their parameters from `first` on; `source` as for `setState`.
 */
export function unsetState(source: string, first: number): Fragment {
  const deletions = Object.entries(scopes).map(
    ([name, scope], index) => `state_unset_${name} as (
      delete from state t using ${source} m where t.account_id = m.account_id and t.app_name = m.app_name
        and t.scope = ${scope} and t.key = any($${first + index}::text[])
    )`,
  );
  return { text: deletions.join(', '), parameters: deletions.length };
}

/** Appends the parameters of `unsetState`: the keys to delete, by scope. */
export function pushUnset(to: unknown[], changes: readonly StateChange[]): void {
  const gone = changes.filter(({ value }) => value === null);
  for (const name of Object.keys(scopes)) to.push(gone.filter(({ scope }) => scope === name).map(({ key }) => key));
}

/**
 * SQL of a lateral query for the state in some scopes of relation `m`: one look-up by the whole prefix of the primary key for all scopes.
 * `offset 0` keeps the planner from merging the look-up into the rest of the statement. Merged, and without statistics, as on a fresh
 * database, it read all state of the application and filtered by scope.
 */
const stateOf = (
  names: readonly StateScope[],
  columns = 's.scope, s.key, s.value',
): string => `select ${columns} from state s
    where s.account_id = m.account_id and s.app_name = m.app_name and s.scope = any(array[${names.map((name) => scopes[name]).join(', ')}]) offset 0`;

const joinState = (names: readonly StateScope[], columns?: string): string =>
  `cross join lateral (${stateOf(names, columns)}) t`;

/** SQL of the state that is visible in the session that `m` names by account_id, app_name, user_id and pk. */
export const visibleState = stateOf(['app', 'user', 'session']);

/** SQL that joins it as `t`. */
export const joinVisibleState = joinState(['app', 'user', 'session']);

/** SQL that joins `t`, the sizes in `bytes` of the keys and values of the same state. */
export const joinVisibleSizes = joinState(['app', 'user', 'session'], 's.bytes');

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
  text: (param) => `select ${publicKey} as key, t.value::text as json 
    from (select ${param.accountId}::uuid as account_id, ${param.appName}::text as app_name, ${param.userId}::text as user_id) m
    ${joinState(['app', 'user'])}`,
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

/** A row of state as it is stored; all are null where there is none. */
export interface StoredStateRow {
  readonly scope: string | null;
  readonly key: string | null;
  readonly json: string | null;
}

/** Merged state of such rows, by keys as clients see them. */
export function toPublicState(rows: readonly StoredStateRow[]): StateMap {
  const state: StateMap = new Map();
  for (const { scope, key, json } of rows) {
    if (scope === null || key === null || json === null) continue;
    state.set(scope === 'app' ? `app:${key}` : scope.startsWith('user:') ? `user:${key}` : key, json);
  }
  return state;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

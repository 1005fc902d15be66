import { createQuery, type Query, type Queryable } from '@agentmesh/lib/pg';
import type { CheckedKey } from '../session-key.ts';
import { createdMicroseconds, latestMoment, momentOf } from './created-at.ts';
import type { ListScope } from './state.ts';

/** A session in a list. */
export interface ListedSession extends Place {
  readonly lastUpdateTime: number;
  /** The session's own state as fields of a JSON object, `"key":value,…`. App and user state are the same for all sessions of a list. */
  readonly ownFields: string;
}

/** A place in the order of creation. */
export interface Place {
  /** Unix time in microseconds. */
  readonly createdAt: bigint;
  readonly id: string;
}

export interface SessionRange {
  /** The place behind which the page begins. */
  readonly after: Place | undefined;
  readonly limit: number;
  readonly newestFirst: boolean;
}

export interface SessionPage {
  readonly sessions: readonly ListedSession[];
  /** The last of them when others follow. */
  readonly last: Place | undefined;
}

interface ListRow {
  readonly id: string;
  readonly created: bigint;
  readonly last_update_time: number;
  readonly fields: string | null;
}

interface PageValues extends ListScope {
  /** The place behind which the page begins. */
  readonly createdAt: bigint;
  readonly id: string;
  readonly limit: number;
}

const oldestFirst = createPageQuery('oldest-first', '>', 'asc');
const newestFirst = createPageQuery('newest-first', '<', 'desc');
const beforeAll: Place = { createdAt: 0n, id: '' };
const afterAll: Place = { createdAt: latestMoment, id: '' };

/** A page of a user's sessions in the order of their creation, without sessions of evaluations. */
export async function selectSessionPage(db: Queryable, scope: ListScope, range: SessionRange): Promise<SessionPage> {
  const query = range.newestFirst ? newestFirst : oldestFirst;
  const { createdAt, id } = range.after ?? (range.newestFirst ? afterAll : beforeAll);
  // One row more than the page shows whether others follow.
  const rows = await query(db, { ...scope, createdAt, id, limit: range.limit + 1 });
  const sessions = rows.slice(0, range.limit).map(toListed);
  return { sessions, last: rows.length > range.limit ? sessions.at(-1) : undefined };
}

/** State is joined per session, so that a page reads only the rows of state that it shows, whatever the planner estimates. */
function createPageQuery(name: string, beyond: '<' | '>', order: 'asc' | 'desc'): Query<PageValues, ListRow> {
  return createQuery({
    name: `list-sessions-${name}`,
    text: (param) => `select s.id, ${createdMicroseconds} as created, s.last_update_time, own.fields from (
        select account_id, app_name, pk, id, created_at, last_update_time from sessions
        where account_id = ${param.accountId} and app_name = ${param.appName} and user_id = ${param.userId}
          and not starts_with(id, '___eval___session___')
          and (created_at, id) ${beyond} (${momentOf(param.createdAt)}, ${param.id})
        order by created_at ${order}, id ${order} limit ${param.limit}
      ) s left join lateral (
        select string_agg(to_json(t.key)::text || ':' || t.value::text, ',') as fields from state t
        where t.account_id = s.account_id and t.app_name = s.app_name and t.scope = 'session:' || s.pk
      ) own on true
      order by s.created_at ${order}, s.id ${order}`,
  });
}

function toListed({ id, created, last_update_time: lastUpdateTime, fields }: ListRow): ListedSession {
  return { id, createdAt: created, lastUpdateTime, ownFields: fields ?? '' };
}

const listKeys = createQuery<CheckedKey & { readonly limit: number }, CheckedKey>({
  name: 'list-session-keys',
  text: (
    param,
  ) => `select account_id as "accountId", app_name as "appName", user_id as "userId", id as "sessionId" from sessions
    where account_id = ${param.accountId} and (app_name, user_id, id) > (${param.appName}, ${param.userId}, ${param.sessionId})
    order by app_name, user_id, id limit ${param.limit}`,
});

/** The keys of sessions of an account behind a key, in their order. Empty names stand before all. */
export function selectSessionKeys(db: Queryable, after: CheckedKey, limit: number): Promise<CheckedKey[]> {
  return listKeys(db, { ...after, limit });
}

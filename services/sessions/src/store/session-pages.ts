import type { Queryable, Statement } from '@agentmesh/lib/pg';
import type { StateMap } from '../state-delta.ts';
import { createdMicroseconds, latestMoment, momentOf } from './created-at.ts';

/** Whose sessions in which application. */
export type ListScope = readonly [accountId: string, appName: string, userId: string];

/** A session in a list. */
export interface ListedSession extends Place {
  readonly lastUpdateTime: number;
  /** JSON texts of the session's own state; app and user state are the same for all of a list. */
  readonly ownState: StateMap;
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
  readonly keys: string[] | null;
  readonly values: string[] | null;
}

const oldestFirst = statement('oldest-first', '>', 'asc');
const newestFirst = statement('newest-first', '<', 'desc');
const beforeAll: Place = { createdAt: 0n, id: '' };
const afterAll: Place = { createdAt: latestMoment, id: '' };

/** A page of a user's sessions in the order of their creation, those of evaluations left out. */
export async function readSessionPage(db: Queryable, scope: ListScope, range: SessionRange): Promise<SessionPage> {
  const { createdAt, id } = range.after ?? (range.newestFirst ? afterAll : beforeAll);
  const text = range.newestFirst ? newestFirst : oldestFirst;
  const rows = await db.query<ListRow>(text, [...scope, createdAt, id, range.limit + 1]);
  const sessions = rows.slice(0, range.limit).map(toListed);
  return { sessions, last: rows.length > range.limit ? sessions.at(-1) : undefined };
}

/** State is joined per session, so that a page reads as many rows of it as it shows, whatever the planner believes. */
function statement(name: string, beyond: '<' | '>', order: 'asc' | 'desc'): Statement {
  return {
    name: `list-sessions-${name}`,
    text: `select s.id, ${createdMicroseconds} as created, s.last_update_time, own.keys, own.values from (
        select account_id, app_name, pk, id, created_at, last_update_time from sessions
        where account_id = $1 and app_name = $2 and user_id = $3 and not starts_with(id, '___eval___session___')
          and (created_at, id) ${beyond} (${momentOf('$4')}, $5)
        order by created_at ${order}, id ${order} limit $6
      ) s left join lateral (
        select array_agg(t.key) as keys, array_agg(t.value::text) as values from state t
        where t.account_id = s.account_id and t.app_name = s.app_name and t.scope = 'session:' || s.pk
      ) own on true
      order by s.created_at ${order}, s.id ${order}`,
  };
}

function toListed({ id, created, last_update_time: lastUpdateTime, keys, values }: ListRow): ListedSession {
  const ownState: StateMap = new Map();
  for (const [index, key] of (keys ?? []).entries()) ownState.set(key, values?.[index] ?? 'null');
  return { id, createdAt: created, lastUpdateTime, ownState };
}

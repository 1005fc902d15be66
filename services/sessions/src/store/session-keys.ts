import { createQuery, type Queryable } from '@agentmesh/lib/pg';
import type { CheckedKey } from '../session-key.ts';

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

import type { Placeholders } from '@agentmesh/lib/pg';
import type { CheckedKey } from '../session-key.ts';

/** SQL condition: the row of `sessions` with this key. The columns are those of `table` where it is given. */
export function hasKey(param: Placeholders<CheckedKey>, table?: string): string {
  const prefix = table === undefined ? '' : `${table}.`;
  return `${prefix}account_id = ${param.accountId} and ${prefix}app_name = ${param.appName}
        and ${prefix}user_id = ${param.userId} and ${prefix}id = ${param.sessionId}`;
}

/** SQL condition: whether a caller with these `apps`, a placeholder, serves the app with the name in an SQL expression. See ClaimRunsRequest.apps. */
export function isServed(apps: string, name: string): string {
  return `(cardinality(${apps}::text[]) = 0 or ${name} = any(${apps}::text[])
          or ('agent*' = any(${apps}::text[]) and ${name} ~ '^agent[0-9]+$'))`;
}

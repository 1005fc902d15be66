import type { Placeholders } from '@agentmesh/lib/pg';
import type { CheckedKey, NumberedSession, RunOfSession } from '../session-key.ts';

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

/** SQL condition: the row of `sessions` with this number. The columns are those of `table` where it is given. */
export function hasNumber(param: Placeholders<NumberedSession>, table?: string): string {
  return numbered({ accountId: param.accountId, pk: param.sessionPk }, table);
}

/** The same for a number that SQL expressions give. The last part is true for all: the index of numbers has it, too. */
export function numbered({ accountId, pk }: { accountId: string; pk: string }, table?: string): string {
  const prefix = table === undefined ? '' : `${table}.`;
  return `${prefix}account_id = ${accountId} and ${prefix}pk = ${pk} and ${prefix}pk > 0`;
}

/** SQL condition: `sessions s` is the session that the CTE `snap` has read. */
export const isSnap = `${numbered({ accountId: 'snap.account_id', pk: 'snap.pk' }, 's')} and s.version = snap.version`;

/** SQL condition: `sessions s` is the session of row `r` of `runs`. */
export const isSessionOfRun = numbered({ accountId: 'r.account_id', pk: 'r.session_pk' }, 's');

/** SQL condition: rows of another table that belong to this session. */
export function isOfSession(param: Placeholders<NumberedSession>, table?: string): string {
  const prefix = table === undefined ? '' : `${table}.`;
  return `${prefix}account_id = ${param.accountId} and ${prefix}session_pk = ${param.sessionPk}`;
}

/** SQL condition: the row of `runs` of this run. */
export function isRun(param: Placeholders<RunOfSession>, table?: string): string {
  const prefix = table === undefined ? '' : `${table}.`;
  return `${isOfSession(param, table)} and ${prefix}invocation_id = ${param.invocationId}`;
}

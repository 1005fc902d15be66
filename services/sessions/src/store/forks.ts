import { createQuery, type Transaction } from '@agentmesh/lib/pg';
import type { CheckedKey } from '../session-key.ts';
import { hasKey, numbered } from './key-condition.ts';
import { bytesOfRow } from './sizes.ts';

export interface ForkValues extends CheckedKey {
  /** The session that is copied. */
  readonly sourcePk: bigint;
  /** Sequence of the last event that is copied. */
  readonly lastSeq: number;
  /** JSON, as in the row of a session. */
  readonly view: string | null;
  readonly initialState: string | null;
  readonly initialArtifacts: string | null;
}

const insertFork = createQuery<ForkValues, { pk: bigint }>({
  text: (
    param,
  ) => `insert into sessions (account_id, app_name, user_id, id, last_seq, last_update_time, view, initial_state, initial_artifacts, aging_from)
    select ${param.accountId}, ${param.appName}, ${param.userId}, ${param.sessionId}, ${param.lastSeq}, e.ts,
      ${param.view}::json, ${param.initialState}::json, ${param.initialArtifacts}::json,
      greatest(0, coalesce((select first.ts from events first where first.account_id = ${param.accountId} and first.session_pk = ${param.sourcePk} order by first.seq limit 1), e.ts))
    from events e where e.account_id = ${param.accountId} and e.session_pk = ${param.sourcePk} and e.seq = ${param.lastSeq}
    on conflict do nothing returning pk`,
});

/** Creates the row of a copy. Undefined when the id is taken, or the last event is gone. */
export async function insertForkedSession(tx: Transaction, fork: ForkValues): Promise<bigint | undefined> {
  const [row] = await insertFork(tx, fork);
  return row?.pk;
}

interface CopyValues extends Pick<CheckedKey, 'accountId'> {
  readonly sourcePk: bigint;
  readonly pk: bigint;
  readonly after: number;
  readonly upTo: number;
}

const copyEvents = createQuery<CopyValues, { bytes: bigint }>({
  text: (param) => `with copied as (
      insert into events (account_id, session_pk, seq, event_id, invocation_id, author, ts, turn_start, body)
      select ${param.accountId}, ${param.pk}, seq, event_id, invocation_id, author, ts, turn_start, body
      from events where account_id = ${param.accountId} and session_pk = ${param.sourcePk} and seq > ${param.after} and seq <= ${param.upTo}
      returning octet_length(body::text) as bytes
    ), counted as (
      select coalesce(sum(bytes), 0)::bigint as bytes from copied
    ), grown as (
      update sessions set bytes = sessions.bytes + counted.bytes from counted where ${numbered(param)}
    )
    select bytes from counted`,
});

/** Events that one statement copies, so that none takes long. */
const mostCopied = 5_000;

/** Copies events inside the database. Returns their bytes. */
export async function copyEventsUpTo(tx: Transaction, copy: Omit<CopyValues, 'after'>): Promise<number> {
  let bytes = 0n;
  for (let after = 0; after < copy.upTo; after += mostCopied) {
    const [row] = await copyEvents(tx, { ...copy, after, upTo: Math.min(copy.upTo, after + mostCopied) });
    bytes += row?.bytes ?? 0n;
  }
  return Number(bytes);
}

const holdSource = createQuery<CheckedKey & { readonly sourcePk: bigint }, { last_seq: number }>({
  text: (param) => `select last_seq from sessions where ${hasKey(param)} and pk = ${param.sourcePk} for share`,
});

/** Keeps a session as it is until the end of the transaction. Returns its last sequence; undefined when it is gone. */
export async function holdSession(
  tx: Transaction,
  source: CheckedKey & { readonly sourcePk: bigint },
): Promise<number | undefined> {
  const [row] = await holdSource(tx, source);
  return row?.last_seq;
}

interface StateCopy extends Pick<CheckedKey, 'accountId' | 'appName'> {
  readonly sourcePk: bigint;
  readonly pk: bigint;
  /** Keys with other values in the copy. */
  readonly keys: readonly string[];
  /** These values as JSON; null for keys that the copy does not have. */
  readonly values: readonly (string | null)[];
}

const copyState = createQuery<StateCopy, { bytes: bigint }>({
  text: (param) => `with own as (
      select key, value, bytes from state
      where account_id = ${param.accountId} and app_name = ${param.appName} and scope = 'session:' || ${param.sourcePk}::bigint
        and key <> all(${param.keys}::text[])
      union all
      select key, value::json, octet_length(key) + octet_length(value)
      from unnest(${param.keys}::text[], ${param.values}::text[]) as c(key, value) where value is not null
    ), copied as (
      insert into state (account_id, app_name, scope, key, value, bytes)
      select ${param.accountId}, ${param.appName}, 'session:' || ${param.pk}::bigint, key, value, bytes from own
      returning bytes
    )
    select coalesce(sum(bytes + ${bytesOfRow}), 0)::bigint as bytes from copied`,
});

/** Copies a session's own state, with other values for some keys. Returns the bytes that it counts in the state of the account. */
export async function copyOwnState(tx: Transaction, copy: StateCopy): Promise<number> {
  const [row] = await copyState(tx, copy);
  return Number(row?.bytes ?? 0n);
}

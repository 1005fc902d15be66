import { createQuery, type Transaction } from '@agentmesh/lib/pg';
import type { StoredKey } from '../artifact-key.ts';

interface KeyValues {
  readonly accountId: string;
  readonly appName: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly name: string;
}

function valuesOf([accountId, appName, userId, sessionId, name]: StoredKey): KeyValues {
  return { accountId, appName, userId, sessionId, name };
}

interface Saved {
  readonly pk: bigint;
  readonly version: number;
  readonly size: bigint;
}

/** An empty payload, as ADK saves it for an artifact that did not exist. */
const emptyPart = '{"inlineData":{"mimeType":"application/octet-stream"}}';

// Joins take the account from the rows before: with the parameter, PostgreSQL would read all payloads of an account while the table has no statistics.
const restore = createQuery<KeyValues & { readonly version: number | null }, Saved>({
  name: 'restore-version',
  text: (param) => `with a as (
      update artifacts set next_version = next_version + 1
      where account_id = ${param.accountId} and app_name = ${param.appName} and user_id = ${param.userId}
        and session_id = ${param.sessionId} and name = ${param.name}
        and (${param.version}::integer is null
          or (select true from versions v
            where v.account_id = artifacts.account_id and v.artifact_pk = pk and v.version = ${param.version}::integer))
      returning account_id, pk, next_version - 1 as version
    ), added as (
      insert into versions (account_id, artifact_pk, version, payload, mime_type, part, custom_metadata, sha256, size)
      select a.account_id, a.pk, a.version, coalesce(v.payload, 'data'),
        case when v.version is null then 'application/octet-stream' else v.mime_type end,
        coalesce(v.part, '${emptyPart}'::json), coalesce(v.custom_metadata, '{}'::json), v.sha256, coalesce(v.size, 0)
      from a left join lateral (
        select * from versions where account_id = a.account_id and artifact_pk = a.pk and version = ${param.version}::integer limit 1
      ) v on true
      returning artifact_pk, version, size
    )
    select artifact_pk as pk, version, size from added`,
});

/**
 * Adds a version with the content of an earlier one; an empty one for null. Undefined when the artifact, or that version of it, does not exist. The
 * payload is not copied. The transaction ends with `countUses`.
 */
export async function restoreVersion(
  tx: Transaction,
  key: StoredKey,
  version: number | null,
): Promise<Saved | undefined> {
  const [saved] = await restore(tx, { ...valuesOf(key), version });
  return saved;
}

const copy = createQuery<
  KeyValues & { readonly version: number; readonly toSessionId: string },
  { pk: bigint; bytes: bigint }
>({
  text: (param) => `with src as (
      select account_id, pk, least(next_version - 1, ${param.version}::integer) + 1 as next from artifacts
      where account_id = ${param.accountId} and app_name = ${param.appName} and user_id = ${param.userId}
        and session_id = ${param.sessionId} and name = ${param.name}
      for update
    ), a as (
      insert into artifacts (account_id, app_name, user_id, session_id, name, next_version)
      select ${param.accountId}, ${param.appName}, ${param.userId}, ${param.toSessionId}, ${param.name}, next from src
      on conflict do nothing returning pk
    ), added as (
      insert into versions (account_id, artifact_pk, version, payload, mime_type, part, custom_metadata, create_time, sha256, size)
      select v.account_id, a.pk, v.version, v.payload, v.mime_type, v.part, v.custom_metadata, v.create_time, v.sha256, v.size
      from a cross join src join versions v on v.account_id = src.account_id and v.artifact_pk = src.pk and v.version < src.next
      returning artifact_pk, size
    )
    select artifact_pk as pk, sum(size)::bigint as bytes from added group by artifact_pk`,
});

interface Target {
  readonly toSessionId: string;
  readonly version: number;
}

interface Copied {
  readonly pk: bigint;
  /** Bytes of the versions. */
  readonly bytes: bigint;
}

/**
 * Copies an artifact with its versions up to one to another session of its user. Undefined when there is nothing to copy, or the other session has an
 * artifact of this name. Payloads are not copied. The transaction ends with `countUses`.
 */
export async function copyArtifact(tx: Transaction, key: StoredKey, to: Target): Promise<Copied | undefined> {
  const [copied] = await copy(tx, { ...valuesOf(key), ...to });
  return copied;
}

const differ = createQuery<KeyValues & Target, { differs: boolean }>({
  text: (param) => `select other.next_version <> least(src.next_version - 1, ${param.version}::integer) + 1 or exists (
      select from versions o left join versions s
        on s.account_id = o.account_id and s.artifact_pk = src.pk and s.version = o.version and s.create_time = o.create_time
          and s.sha256 is not distinct from o.sha256
      where o.account_id = other.account_id and o.artifact_pk = other.pk and s.version is null
    ) as differs
    from artifacts src join artifacts other on other.account_id = src.account_id and other.app_name = src.app_name
      and other.user_id = src.user_id and other.session_id = ${param.toSessionId} and other.name = src.name
    where src.account_id = ${param.accountId} and src.app_name = ${param.appName} and src.user_id = ${param.userId}
      and src.session_id = ${param.sessionId} and src.name = ${param.name}`,
});

/** Whether the other session has an artifact of this name that is no copy of this one up to that version. */
export async function hasOtherArtifact(tx: Transaction, key: StoredKey, to: Target): Promise<boolean> {
  const [row] = await differ(tx, { ...valuesOf(key), ...to });
  return row?.differs ?? false;
}

interface Added {
  readonly pk: bigint;
  /** The first version that the transaction added. */
  readonly version: number;
}

// An artifact that a request names twice is counted from its earlier version.
const count = createQuery<{ accountId: string; pks: readonly bigint[]; versions: readonly number[] }>({
  text: (param) => `with uses as (
      select v.account_id, v.sha256, count(*) as number
      from (select pk, min(version) as version from unnest(${param.pks}::bigint[], ${param.versions}::integer[]) t(pk, version) group by pk) a
      cross join lateral (
        select account_id, sha256 from versions
        where account_id = ${param.accountId} and artifact_pk = a.pk and version >= a.version and sha256 is not null offset 0
      ) v
      group by 1, 2
    ), locked as (
      select p.account_id, p.sha256, u.number from payloads p join uses u using (account_id, sha256)
      order by p.sha256 for update of p
    )
    update payloads p set refs = p.refs + l.number from locked l
    where p.account_id = l.account_id and p.sha256 = l.sha256`,
});

/**
 * Counts the payloads of the versions that a transaction has added. It is the last statement: every transaction locks all its artifacts, then all its payloads
 * in their order, so that two of them cannot deadlock. Until then the artifacts that the versions were copied from keep the payloads.
 */
export async function countUses(tx: Transaction, accountId: string, added: readonly Added[]): Promise<void> {
  if (added.length === 0) return;
  const versions = added.map(({ version }) => version);
  await count(tx, { accountId, pks: added.map(({ pk }) => pk), versions });
}

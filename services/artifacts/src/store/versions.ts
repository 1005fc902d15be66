import type { Database, Queryable, Transaction } from '@agentmesh/lib/pg';
import type { StoredKey } from '../artifact-key.ts';
import type { PayloadWord } from '../part.ts';

/** What one version is, but for where its payload is. */
export interface VersionRow {
  readonly version: number;
  readonly payload: PayloadWord;
  readonly mime_type: string | null;
  /** JSON text. */
  readonly part: string;
  /** JSON text. */
  readonly custom_metadata: string;
  readonly create_time: number;
  readonly sha256: Buffer | null;
  readonly size: bigint;
}

/** A version and its payload: `bytes` or the object `blob_id`, or neither. */
export interface LoadedRow extends VersionRow {
  readonly bytes: Buffer | null;
  readonly blob_id: string | null;
  readonly account_id: string;
}

export interface NewVersion {
  readonly payload: PayloadWord;
  readonly mimeType: string | undefined;
  readonly part: string;
  readonly customMetadata: string;
  /** Undefined without a payload. */
  readonly content: Content | undefined;
  readonly size: number;
}

/** A payload, here or as an object that is staged in the blob store. */
export type Content = { readonly sha256: Buffer } & ({ readonly bytes: Buffer } | { readonly blobId: string });

const columns = `v.version, v.payload, v.mime_type, v.part, v.custom_metadata, v.create_time, v.sha256, v.size`;
const ofKey = 'a.account_id = $1 and a.app_name = $2 and a.user_id = $3 and a.session_id = $4 and a.name = $5';

// One statement and one transaction. An artifact's row is locked before a payload's, here as in every other statement. A staged
// object becomes live, or garbage when the account has the same content already; one that was collected stores nothing.
const SAVE = {
  name: 'artifact_save',
  text: `with staged as (
      select id from blobs where id = $13::uuid and account_id = $1 and state = 'staged' for update
    ), a as (
      insert into artifacts as old (account_id, app_name, user_id, session_id, name, next_version)
      select $1, $2, $3, $4, $5, 1 where $13::uuid is null or exists (select from staged)
      on conflict (account_id, app_name, user_id, session_id, name) do update set next_version = old.next_version + 1
      returning pk, next_version - 1 as version
    ), p as (
      insert into payloads as old (account_id, sha256, size, refs, bytes, blob_id)
      select $1, $10::bytea, $11, 1, $12::bytea, $13::uuid from a where $10::bytea is not null
      on conflict (account_id, sha256) do update set refs = old.refs + 1
      returning blob_id
    ), b as (
      update blobs set changed_at = now(), state = case when p.blob_id = $13::uuid then 'live' else 'garbage' end
      from p where blobs.id = $13::uuid
      returning state
    )
    insert into versions (account_id, artifact_pk, version, payload, mime_type, part, custom_metadata, sha256, size)
    select $1, a.pk, a.version, $6, $7, $8::json, $9::json, $10::bytea, $11 from a
    returning version, create_time, exists (select from b where state = 'garbage') as known`,
};

/** Adds the next version; undefined when its staged object is no longer staged. */
export async function saveVersion(db: Queryable, key: StoredKey, { content, ...row }: NewVersion) {
  const inline = content !== undefined && 'bytes' in content ? content.bytes : null;
  const blobId = content !== undefined && 'blobId' in content ? content.blobId : null;
  const [saved] = await db.query<{ version: number; create_time: number; known: boolean }>(SAVE, [
    ...key,
    row.payload,
    row.mimeType ?? null,
    row.part,
    row.customMetadata,
    content?.sha256 ?? null,
    row.size,
    inline,
    blobId,
  ]);
  return saved;
}

const LOAD = {
  name: 'artifact_load',
  text: `select ${columns}, p.bytes, p.blob_id, a.account_id
    from artifacts a
    join versions v on v.artifact_pk = a.pk and v.version = coalesce($6::integer, a.next_version - 1)
    left join payloads p on p.account_id = v.account_id and p.sha256 = v.sha256
    where ${ofKey}`,
};

/** A version, the latest when `version` is undefined. */
export async function loadVersion(db: Queryable, key: StoredKey, version?: number): Promise<LoadedRow | undefined> {
  const [row] = await db.query<LoadedRow>(LOAD, [...key, version ?? null]);
  return row;
}

const GET = {
  name: 'artifact_version_get',
  text: `select ${columns}
    from artifacts a
    join versions v on v.artifact_pk = a.pk and v.version = coalesce($6::integer, a.next_version - 1)
    where ${ofKey}`,
};

/** As `loadVersion`, without the payload. */
export async function getVersion(db: Queryable, key: StoredKey, version?: number): Promise<VersionRow | undefined> {
  const [row] = await db.query<VersionRow>(GET, [...key, version ?? null]);
  return row;
}

const LIST = {
  name: 'artifact_versions_list',
  text: `select ${columns}
    from artifacts a join versions v on v.artifact_pk = a.pk and v.version > $6
    where ${ofKey} order by v.version limit $7`,
};

/** The versions after `after`, ascending. */
export function listVersions(db: Queryable, key: StoredKey, page: { after: number; limit: number }) {
  return db.query<VersionRow>(LIST, [...key, page.after, page.limit]);
}

const NAMES = {
  name: 'artifact_names_list',
  text: `select name from artifacts
    where account_id = $1 and app_name = $2 and user_id = $3 and session_id = any ($4::text[]) and name > $5
    order by name limit $6`,
};

/** Names after `after` that a session sees, by code point. */
export async function listNames(db: Queryable, scope: readonly string[], page: { after: string; limit: number }) {
  const [accountId, appName, userId, sessionId] = scope;
  const sessions = ['', sessionId];
  const values = [accountId, appName, userId, sessions, page.after, page.limit];
  const rows = await db.query<{ name: string }>(NAMES, values);
  return rows.map(({ name }) => name);
}

const DELETE_ARTIFACT = {
  text: `delete from artifacts a where ${ofKey} returning pk`,
};

// Its own statement: it must see what a save committed while the artifact's row was waited for. Payloads are locked in order, so
// that two deletions never wait for each other.
const DELETE_VERSIONS = {
  text: `with gone as (
      delete from versions where artifact_pk = $1 returning account_id, sha256
    ), uses as (
      select account_id, sha256, count(*) as number from gone where sha256 is not null group by 1, 2
    ), locked as (
      select p.account_id, p.sha256, u.number
      from payloads p join uses u using (account_id, sha256)
      order by p.account_id, p.sha256 for update of p
    )
    update payloads p set refs = p.refs - l.number
    from locked l where p.account_id = l.account_id and p.sha256 = l.sha256
    returning p.sha256`,
};

const DELETE_PAYLOADS = {
  text: `with gone as (
      delete from payloads where account_id = $1 and sha256 = any ($2::bytea[]) and refs <= 0 returning blob_id
    )
    update blobs set state = 'garbage', changed_at = now()
    where id in (select blob_id from gone where blob_id is not null)`,
};

/** Deletes an artifact with all its versions, and what no version refers to any more. */
export function deleteArtifact(db: Database, key: StoredKey): Promise<void> {
  return db.transaction(async (tx) => {
    const [artifact] = await tx.query<{ pk: bigint }>(DELETE_ARTIFACT, key);
    if (artifact !== undefined) await deleteVersions(tx, key[0], artifact.pk);
  });
}

async function deleteVersions(tx: Transaction, accountId: string, pk: bigint): Promise<void> {
  const rows = await tx.query<{ sha256: Buffer }>(DELETE_VERSIONS, [pk]);
  await tx.query(DELETE_PAYLOADS, [accountId, rows.map(({ sha256 }) => sha256)]);
}

import type { Queryable } from '@agentmesh/lib/pg';
import type { StoredKey } from '../artifact-key.ts';
import type { PayloadWord } from '../part.ts';

/** One version, without its payload. */
export interface VersionRow {
  readonly version: number;
  readonly payload: PayloadWord;
  readonly mime_type: string | null;
  /** JSON text. */
  readonly part: string;
  /** JSON text. */
  readonly custom_metadata: string;
  /** Unix time in seconds. */
  readonly create_time: number;
  /** Null when the version has no payload. */
  readonly sha256: Buffer | null;
  /** Bytes of the payload. */
  readonly size: bigint;
}

/** A version with its payload: in `bytes`, or in the blob `blob_id`. Both are null when the version has no payload. */
export interface LoadedRow extends VersionRow {
  readonly bytes: Buffer | null;
  readonly blob_id: string | null;
  readonly account_id: string;
}

export interface NewVersion {
  readonly payload: PayloadWord;
  readonly mimeType: string | undefined;
  /** JSON text. */
  readonly part: string;
  /** JSON text. */
  readonly customMetadata: string;
  /** Undefined when the version has no payload. */
  readonly content: Content | undefined;
  /** Bytes of the payload. */
  readonly size: number;
}

/** A payload: its bytes, or the id of a staged object of the blob store that holds them. */
export type Content = { readonly sha256: Buffer } & ({ readonly bytes: Buffer } | { readonly blobId: string });

const columns = `v.version, v.payload, v.mime_type, v.part, v.custom_metadata, v.create_time, v.sha256, v.size`;
const isArtifact = 'a.account_id = $1 and a.app_name = $2 and a.user_id = $3 and a.session_id = $4 and a.name = $5';
// Lateral with a limit: while the table has no statistics, PostgreSQL would else read all versions of the account.
const artifactWithVersion = `artifacts a cross join lateral (
      select * from versions
      where account_id = a.account_id and artifact_pk = a.pk and version = coalesce($6::integer, a.next_version - 1) limit 1
    ) v`;

// One statement and one transaction. The artifact's row is locked before the payload's row, in this and every other statement. The staged
// object becomes live, or garbage when the account has the same content already. When the object is no longer staged, nothing is stored.
// `is true` keeps the planner from the index by state: the object is found by its id.
const insertNextVersion = {
  name: 'insert-version',
  text: `with staged as (
      select id from blobs where account_id = $1 and id = $13::uuid and (state = 'staged') is true for update
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
      from p where blobs.account_id = $1 and blobs.id = $13::uuid
    )
    insert into versions (account_id, artifact_pk, version, payload, mime_type, part, custom_metadata, sha256, size)
    select $1, a.pk, a.version, $6, $7, $8::json, $9::json, $10::bytea, $11 from a
    returning version, create_time`,
};

/** Adds the next version of an artifact. Returns undefined when its object is no longer staged, because it was collected. */
export async function insertVersion(db: Queryable, key: StoredKey, { content, ...row }: NewVersion) {
  const bytes = content !== undefined && 'bytes' in content ? content.bytes : null;
  const blobId = content !== undefined && 'blobId' in content ? content.blobId : null;
  const [saved] = await db.query<Pick<VersionRow, 'version' | 'create_time'>>(insertNextVersion, [
    ...key,
    row.payload,
    row.mimeType ?? null,
    row.part,
    row.customMetadata,
    content?.sha256 ?? null,
    row.size,
    bytes,
    blobId,
  ]);
  return saved;
}

const selectOneWithPayload = {
  name: 'select-version-with-payload',
  text: `select ${columns}, p.bytes, p.blob_id, a.account_id
    from ${artifactWithVersion}
    left join payloads p on p.account_id = v.account_id and p.sha256 = v.sha256
    where ${isArtifact}`,
};

/** A version with its payload; the latest when `version` is undefined. Undefined when there is none. */
export async function selectVersionWithPayload(
  db: Queryable,
  key: StoredKey,
  version?: number,
): Promise<LoadedRow | undefined> {
  const [row] = await db.query<LoadedRow>(selectOneWithPayload, [...key, version ?? null]);
  return row;
}

const selectOne = {
  name: 'select-version',
  text: `select ${columns} from ${artifactWithVersion} where ${isArtifact}`,
};

/** A version without its payload; the latest when `version` is undefined. Undefined when there is none. */
export async function selectVersion(db: Queryable, key: StoredKey, version?: number): Promise<VersionRow | undefined> {
  const [row] = await db.query<VersionRow>(selectOne, [...key, version ?? null]);
  return row;
}

const selectPage = {
  name: 'select-versions',
  text: `select ${columns}
    from artifacts a cross join lateral (
      select * from versions
      where account_id = a.account_id and artifact_pk = a.pk and version > $6 order by version limit $7
    ) v
    where ${isArtifact} order by v.version`,
};

/** A page of the versions after number `after`, in ascending order. */
export function selectVersions(db: Queryable, key: StoredKey, page: { after: number; limit: number }) {
  return db.query<VersionRow>(selectPage, [...key, page.after, page.limit]);
}

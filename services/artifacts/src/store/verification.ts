import { createQuery, type Queryable } from '@agentmesh/lib/pg';
import type { BlobName } from '../blobs/blob-store.ts';

/** A payload whose bytes are in the blob store. */
export interface StoredPayload {
  readonly accountId: string;
  readonly sha256: Buffer;
  readonly blobId: string;
  readonly size: bigint;
}

interface After {
  /** The last payload of the page before: its account, and its hash. */
  readonly accountId: string;
  readonly sha256: Buffer;
  readonly limit: number;
}

// The limit stands inside, so that a page ends also where most payloads have their bytes in the row.
const payloadPage = createQuery<After, Omit<StoredPayload, 'blobId'> & { readonly blobId: string | null }>({
  text: (param) => `select account_id as "accountId", sha256, blob_id as "blobId", size from payloads
    where (account_id, sha256) > (${param.accountId}::uuid, ${param.sha256}::bytea)
    order by account_id, sha256 limit ${param.limit}`,
});

const pageSize = 500;
/** Comes before every account. */
const nowhere = '00000000-0000-0000-0000-000000000000';

/** All payloads whose bytes are in the blob store, in pages. */
export async function* storedPayloads(db: Queryable): AsyncGenerator<StoredPayload[]> {
  let after: Pick<StoredPayload, 'accountId' | 'sha256'> = { accountId: nowhere, sha256: Buffer.alloc(0) };
  for (;;) {
    const rows = await payloadPage(db, { ...after, limit: pageSize });
    yield rows.flatMap(({ blobId, ...row }) => (blobId === null ? [] : [{ ...row, blobId }]));
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return;
    after = last;
  }
}

interface Named {
  readonly app: string;
  readonly user: string;
  readonly session: string;
  readonly name: string;
  readonly version: number;
}

const versionWith = createQuery<Pick<StoredPayload, 'accountId' | 'sha256'>, Named>({
  text: (param) => `select app_name as app, user_id as user, session_id as session, name, version
    from versions v join artifacts a on a.account_id = v.account_id and a.pk = v.artifact_pk
    where v.account_id = ${param.accountId} and v.sha256 = ${param.sha256} limit 1`,
});

/** One of the versions that have this payload. Reads the versions of its account. */
export async function findVersionWith(db: Queryable, payload: StoredPayload): Promise<Named | undefined> {
  const [row] = await versionWith(db, payload);
  return row;
}

/** A version by its key. */
interface VersionPlace {
  readonly accountId: string;
  readonly pk: bigint;
  readonly version: number;
}

const versionPage = createQuery<VersionPlace & { readonly limit: number }, VersionPlace & { readonly isLost: boolean }>(
  {
    text: (param) => `select v.account_id as "accountId", artifact_pk as pk, version,
      v.sha256 is not null and not exists (select from payloads p where p.account_id = v.account_id and p.sha256 = v.sha256) as "isLost"
    from versions v where (v.account_id, artifact_pk, version) > (${param.accountId}::uuid, ${param.pk}::bigint, ${param.version}::integer)
    order by v.account_id, artifact_pk, version limit ${param.limit}`,
  },
);

/** Versions whose payload has no row, as in a database that was restored in parts. */
export async function* versionsWithoutPayload(db: Queryable): AsyncGenerator<VersionPlace> {
  let after: VersionPlace = { accountId: nowhere, pk: 0n, version: 0 };
  for (;;) {
    const rows = await versionPage(db, { ...after, limit: pageSize });
    yield* rows.filter(({ isLost }) => isLost);
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return;
    after = last;
  }
}

const unknown = createQuery<{ accountIds: readonly string[]; ids: readonly string[] }, { at: number }>({
  text: (
    param,
  ) => `select at::integer from unnest(${param.accountIds}::uuid[], ${param.ids}::uuid[]) with ordinality o(account, id, at)
    where not exists (select from blobs b where b.account_id = o.account and b.id = o.id)`,
});

/** Those of these objects that no row knows. */
export async function unknownBlobs(db: Queryable, names: readonly BlobName[]): Promise<BlobName[]> {
  const accountIds = names.map(({ accountId }) => accountId);
  const rows = await unknown(db, { accountIds, ids: names.map(({ id }) => id) });
  return rows.flatMap(({ at }) => names[at - 1] ?? []);
}

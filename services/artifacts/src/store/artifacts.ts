import type { Database, Queryable, Transaction } from '@agentmesh/lib/pg';
import type { StoredKey } from '../artifact-key.ts';

const selectNamesOfSession = {
  name: 'select-names',
  text: `select name from artifacts
    where account_id = $1 and app_name = $2 and user_id = $3 and session_id = any ($4::text[]) and name > $5
    order by name limit $6`,
};

/** A page of the names after `after` that a session sees, its own and its user's, sorted by code point. */
export async function selectNames(db: Queryable, scope: readonly string[], page: { after: string; limit: number }) {
  const [accountId, appName, userId, sessionId] = scope;
  const sessions = ['', sessionId];
  const values = [accountId, appName, userId, sessions, page.after, page.limit];
  const rows = await db.query<{ name: string }>(selectNamesOfSession, values);
  return rows.map(({ name }) => name);
}

const selectKeysOfAccount = {
  name: 'select-keys-of-account',
  text: `select app_name as "appName", user_id as "userId", session_id as "sessionId", name from artifacts
    where account_id = $1 and (app_name, user_id, session_id, name) > ($2, $3, $4, $5)
    order by app_name, user_id, session_id, name limit $6`,
};

interface KeyRow {
  readonly appName: string;
  readonly userId: string;
  /** Empty for an artifact of the user. */
  readonly sessionId: string;
  readonly name: string;
}

/** The keys of artifacts of an account behind a key, in their order. Empty names stand before all. */
export function selectKeys(db: Queryable, after: StoredKey, limit: number): Promise<KeyRow[]> {
  return db.query<KeyRow>(selectKeysOfAccount, [...after, limit]);
}

const deleteArtifact = {
  text: `delete from artifacts
    where account_id = $1 and app_name = $2 and user_id = $3 and session_id = $4 and name = $5
    returning pk`,
};

// A statement of its own, because it must see the version that a save committed while this transaction waited for the artifact's row lock.
// Payloads are locked in the order of their key, so that two deletions cannot deadlock.
const deleteVersions = {
  text: `with gone as (
      delete from versions where account_id = $1 and artifact_pk = $2 returning account_id, sha256
    ), uses as (
      select account_id, sha256, count(*) as number from gone where sha256 is not null group by 1, 2
    ), locked as (
      select p.account_id, p.sha256, u.number
      from payloads p join uses u using (account_id, sha256)
      order by p.sha256 for update of p
    )
    update payloads p set refs = p.refs - l.number
    from locked l where p.account_id = l.account_id and p.sha256 = l.sha256
    returning p.sha256`,
};

const deleteUnusedPayloads = {
  text: `with gone as (
      delete from payloads where account_id = $1 and sha256 = any ($2::bytea[]) and refs <= 0 returning blob_id
    )
    update blobs set state = 'garbage', changed_at = now()
    where account_id = $1 and id in (select blob_id from gone where blob_id is not null)`,
};

const sumSizes = {
  text: 'select coalesce(sum(size), 0)::bigint as bytes from versions where account_id = $1 and artifact_pk = $2',
};

/**
 * Deletes an artifact, all its versions, and the payloads that no version refers to any more. Idempotent. Returns the bytes of the versions;
 * undefined when there is no such artifact.
 */
export function deleteArtifactRows(db: Database, key: StoredKey): Promise<number | undefined> {
  return db.transaction(async (tx) => {
    const [artifact] = await tx.query<{ pk: bigint }>(deleteArtifact, key);
    if (artifact === undefined) return undefined;
    const [sum] = await tx.query<{ bytes: bigint }>(sumSizes, [key[0], artifact.pk]);
    await deleteVersionRows(tx, key[0], artifact.pk);
    return Number(sum?.bytes ?? 0n);
  });
}

async function deleteVersionRows(tx: Transaction, accountId: string, pk: bigint): Promise<void> {
  const rows = await tx.query<{ sha256: Buffer }>(deleteVersions, [accountId, pk]);
  await tx.query(deleteUnusedPayloads, [accountId, rows.map(({ sha256 }) => sha256)]);
}

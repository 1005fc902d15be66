import type { Job } from '../service/index.ts';
import { createQuery, type Database, type Queryable, type Transaction } from '../pg/index.ts';

interface KeyName {
  readonly accountId: string;
  readonly keySha256: Uint8Array;
}

/** Takes a key that is free, or was taken more than 24 hours ago. No row when it is taken; a transaction that takes it at the same time is waited for. */
export const insertKey = createQuery<KeyName & { requestSha256: Uint8Array }, { one: number }>({
  name: 'insert-idempotency-key',
  text: (param) => `insert into idempotency_keys as k (account_id, key_sha256, request_sha256)
    values (${param.accountId}, ${param.keySha256}, ${param.requestSha256})
    on conflict (account_id, key_sha256) do update
      set request_sha256 = excluded.request_sha256, answer = null, created_at = now()
      where k.created_at < now() - interval '24 hours'
    returning 1 as one`,
});

/** State of the request that had a key first, within the last 24 hours. */
export const selectKey = createQuery<KeyName, { request_sha256: Uint8Array; answer: Uint8Array | null }>({
  name: 'select-idempotency-key',
  text: (param) => `select request_sha256, answer from idempotency_keys
    where account_id = ${param.accountId} and key_sha256 = ${param.keySha256} and created_at >= now() - interval '24 hours'`,
});

/** Most bytes of answers of an account that the table keeps, each with 256 for its row. */
export const mostKeptBytes = 256 * 1024 * 1024;

/**
 * Keeps the answer to the request with a key. No row when the account would have more than `most` bytes of answers: then nothing was stored. Answers count for
 * 24 to 25 hours. The row of the hour is locked until the transaction ends, so send this last.
 */
export const updateAnswer = createQuery<KeyName & { answer: Uint8Array; most: number }, { one: number }>({
  name: 'update-idempotency-answer',
  text: (param) => `with counted as (
      insert into idempotency_bytes as b (account_id, hour, bytes)
      select ${param.accountId}, date_trunc('hour', now()), octet_length(${param.answer}::bytea) + 256
      where (select coalesce(sum(bytes), 0) from idempotency_bytes
        where account_id = ${param.accountId} and hour > now() - interval '25 hours')
        + octet_length(${param.answer}::bytea) + 256 <= ${param.most}::bigint
      on conflict (account_id, hour) do update set bytes = b.bytes + excluded.bytes
        where (select coalesce(sum(bytes), 0) from idempotency_bytes o
          where o.account_id = ${param.accountId} and o.hour > now() - interval '25 hours' and o.hour < excluded.hour)
          + b.bytes + excluded.bytes <= ${param.most}::bigint
      returning 1
    )
    update idempotency_keys set answer = ${param.answer}
    where account_id = ${param.accountId} and key_sha256 = ${param.keySha256} and exists (select from counted)
    returning 1 as one`,
});

const findOld = createQuery<{ limit: number }, KeyName>({
  name: 'find-old-idempotency-keys',
  text: (param) => `select account_id as "accountId", key_sha256 as "keySha256" from idempotency_keys
    where created_at < now() - interval '24 hours' order by created_at limit ${param.limit}`,
});

const deleteOld = createQuery<{ accountId: string; keys: readonly Uint8Array[] }>({
  name: 'delete-old-idempotency-keys',
  text: (
    param,
  ) => `delete from idempotency_keys where account_id = ${param.accountId} and key_sha256 = any(${param.keys}::bytea[])
      and (created_at < now() - interval '24 hours') is true`,
});

const deleteOldBytes = createQuery<object>({
  text: () => `delete from idempotency_bytes where hour <= now() - interval '25 hours'`,
});

const deleteOfAccount = createQuery<{ accountId: string }>({
  text: (param) => `with counted as (delete from idempotency_bytes where account_id = ${param.accountId})
    delete from idempotency_keys where account_id = ${param.accountId}`,
});

const pauseMs = 900_000;
const batchSize = 1_000;

/** Deletes keys that are older than 24 hours. */
export async function forgetKeys(db: Queryable): Promise<void> {
  let found: KeyName[];
  do {
    found = await findOld(db, { limit: batchSize });
    for (const [accountId, old] of Map.groupBy(found, (key) => key.accountId))
      await deleteOld(db, { accountId, keys: old.map(({ keySha256 }) => keySha256) });
  } while (found.length === batchSize);
  await deleteOldBytes(db, {});
}

/** The job that runs `forgetKeys` every quarter of an hour. */
export function createForgetKeys(db: Database): Job {
  return { pauseMs, failure: 'old idempotency keys cannot be deleted, trying again', run: () => forgetKeys(db) };
}

/** Deletes all keys of an account. */
export async function deleteAccountKeys(tx: Transaction, accountId: string): Promise<void> {
  await deleteOfAccount(tx, { accountId });
}

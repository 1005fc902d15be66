import { createQuery, type Queryable } from '@agentmesh/lib/pg';

/** Idempotency key of a run, with the hash of the request that it belongs to. */
export interface RunKey {
  readonly idempotencyKey: string;
  readonly requestSha256: Uint8Array;
  /** Hours after which it is forgotten; null: it is kept as long as the run. */
  readonly keyHours: number | null;
}

/** The run that a request with an idempotency key accepted. */
export interface KeyedRun {
  readonly invocation_id: string;
  readonly same_request: boolean;
  /** The key is forgotten: another run may have it. */
  readonly is_old: boolean;
  /** Sequence of the last event of the session when the run was accepted; 0: none, or not known. */
  readonly accepted_seq: number;
}

type AccountKey = Omit<RunKey, 'keyHours'> & { readonly accountId: string };

const findKeyed = createQuery<AccountKey, KeyedRun>({
  name: 'find-keyed-run',
  text: (param) => `select invocation_id, request_sha256 = ${param.requestSha256}::bytea as same_request,
      coalesce(expires_at <= now(), false) as is_old, coalesce(accepted_seq, 0) as accepted_seq from run_keys
    where account_id = ${param.accountId} and idempotency_key = ${param.idempotencyKey}`,
});

/** The run with this key; undefined when the account has not used the key. */
export async function findKeyedRun(db: Queryable, accountId: string, key: RunKey): Promise<KeyedRun | undefined> {
  const [run] = await findKeyed(db, { ...key, accountId });
  return run;
}

const deleteOldKey = createQuery<Pick<RunKey, 'idempotencyKey'> & { readonly accountId: string }>({
  name: 'delete-old-run-key',
  text: (param) => `delete from run_keys
    where account_id = ${param.accountId} and idempotency_key = ${param.idempotencyKey}
      and (expires_at <= now()) is true`,
});

/** Forgets a key that is old. Its run stays. `is true` keeps the planner from the index by age: the key is found by its name. */
export async function forgetRunKey(db: Queryable, accountId: string, { idempotencyKey }: RunKey): Promise<void> {
  await deleteOldKey(db, { accountId, idempotencyKey });
}

const findOldKeys = createQuery<{ readonly limit: number }, { accountId: string; key: string }>({
  name: 'find-old-run-keys',
  text: (param) => `select account_id as "accountId", idempotency_key as key from run_keys
    where expires_at <= now() order by expires_at limit ${param.limit}`,
});

const deleteOldKeys = createQuery<{ readonly accountId: string; readonly keys: readonly string[] }>({
  name: 'delete-old-run-keys',
  text: (
    param,
  ) => `delete from run_keys where account_id = ${param.accountId} and idempotency_key = any(${param.keys}::text[])
      and (expires_at <= now()) is true`,
});

const batchSize = 1_000;

/** Forgets all keys that are old. */
export async function forgetRunKeys(db: Queryable): Promise<void> {
  let found: { accountId: string; key: string }[];
  do {
    found = await findOldKeys(db, { limit: batchSize });
    for (const [accountId, old] of Map.groupBy(found, (row) => row.accountId))
      await deleteOldKeys(db, { accountId, keys: old.map(({ key }) => key) });
  } while (found.length === batchSize);
}

const uniqueViolation = '23505';

/** Whether a statement failed because the account has used the idempotency key. */
export function isKeyTaken(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && cause.code === uniqueViolation) return 'table' in cause && cause.table === 'run_keys';
  }
  return false;
}

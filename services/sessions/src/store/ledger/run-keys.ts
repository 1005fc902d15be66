import { createQuery, type Queryable } from '@agentmesh/lib/pg';

/** Idempotency key of a run, with the hash of the request that it belongs to. */
export interface RunKey {
  readonly idempotencyKey: string;
  readonly requestSha256: Uint8Array;
}

/** The run that a request with an idempotency key accepted. */
export interface KeyedRun {
  readonly invocation_id: string;
  readonly same_request: boolean;
}

const findKeyed = createQuery<RunKey & { readonly accountId: string }, KeyedRun>({
  name: 'find-keyed-run',
  text: (param) => `select invocation_id, request_sha256 = ${param.requestSha256}::bytea as same_request from run_keys
    where account_id = ${param.accountId} and idempotency_key = ${param.idempotencyKey}`,
});

/** The run with this key; undefined when the account has not used the key. */
export async function findKeyedRun(db: Queryable, accountId: string, key: RunKey): Promise<KeyedRun | undefined> {
  const [run] = await findKeyed(db, { ...key, accountId });
  return run;
}

const uniqueViolation = '23505';

/** Whether a statement failed because the account has used the idempotency key. */
export function isKeyTaken(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && cause.code === uniqueViolation) return 'table' in cause && cause.table === 'run_keys';
  }
  return false;
}

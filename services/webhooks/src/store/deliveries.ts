import { createQuery, type Transaction } from '@agentmesh/lib/pg';

/** A message of a webhook, and what became of it. */
export interface DeliveryRow {
  readonly id: string;
  readonly type: string;
  readonly status: 'pending' | 'delivered' | 'failed';
  readonly attempts: number;
  readonly created_at: Date;
  readonly next_attempt_at: Date | null;
  readonly last_attempt_at: Date | null;
  readonly response_status: number | null;
  readonly error: string | null;
}

/** A delivery whose attempt has begun. */
export interface TakenDelivery {
  readonly account_id: string;
  readonly id: string;
  readonly payload: string;
  /** Number of the attempt. */
  readonly attempts: number;
  /** Attempts before it was last sent again. */
  readonly attempts_before: number;
  readonly give_up_at: Date;
  readonly url: string;
  readonly secret_id: string;
  readonly secret: string;
}

const columns = 'id, type, status, attempts, created_at, next_attempt_at, last_attempt_at, response_status, error';

interface NewDelivery {
  readonly accountId: string;
  readonly id: string;
  readonly runSha256: Uint8Array;
  readonly type: string;
  readonly payload: string;
  readonly now: Date;
  readonly giveUpAt: Date;
}

/** Adds a message that is due at once. */
export const insertDelivery = createQuery<NewDelivery>({
  name: 'insert-delivery',
  text: (
    param,
  ) => `insert into deliveries (account_id, id, run_sha256, type, payload, status, created_at, give_up_at, next_attempt_at)
    values (${param.accountId}, ${param.id}, ${param.runSha256}, ${param.type}, ${param.payload}, 'pending', ${param.now},
      ${param.giveUpAt}, ${param.now})`,
});

/** Deletes all but the newest `kept` messages of a run. */
export const deleteSurplusDeliveries = createQuery<{ accountId: string; runSha256: Uint8Array; kept: number }>({
  name: 'delete-surplus-deliveries',
  text: (param) => `delete from deliveries where account_id = ${param.accountId} and id = any(array(
      select id from deliveries where account_id = ${param.accountId} and run_sha256 = ${param.runSha256}
      order by created_at desc, id offset ${param.kept}::integer
    ))`,
});

interface Looking {
  readonly now: Date;
  /** Accounts that are left out. */
  readonly busy: readonly string[];
  readonly limit: number;
}

/** Accounts that have deliveries due, of the 1,000 that have waited longest. */
export const findAccountsWithDueDeliveries = createQuery<Looking, { account_id: string }>({
  name: 'find-accounts-with-due-deliveries',
  text: (param) => `select account_id from (
      select account_id, next_attempt_at from deliveries
      where next_attempt_at <= ${param.now} and account_id <> all(${param.busy}::uuid[]) order by next_attempt_at limit 1000
    ) due
    group by account_id order by min(next_attempt_at) limit ${param.limit}`,
});

interface Taking {
  readonly accountId: string;
  readonly now: Date;
  /** When another replica may take over an attempt that begins now. */
  readonly leaseUntil: Date;
  readonly limit: number;
}

/** Begins attempts at deliveries of an account that are due, the oldest first. */
export const takeDueDeliveries = createQuery<Taking, TakenDelivery>({
  name: 'take-due-deliveries',
  text: (param) => `with due as (
      select id from deliveries where account_id = ${param.accountId} and next_attempt_at <= ${param.now}
      order by next_attempt_at limit ${param.limit} for update skip locked
    )
    update deliveries d set attempts = d.attempts + 1, last_attempt_at = ${param.now}, next_attempt_at = ${param.leaseUntil}
    from due, run_webhooks w
    where d.account_id = ${param.accountId} and d.id = due.id and w.account_id = ${param.accountId} and w.run_sha256 = d.run_sha256
    returning d.account_id, d.id, d.payload, d.attempts, d.attempts_before, d.give_up_at, w.url, w.secret_id, w.secret`,
});

interface AttemptEnd {
  readonly accountId: string;
  readonly id: string;
  /** The attempt. A later one has taken over when the row has another number. */
  readonly attempts: number;
  /** Attempts before the message was last sent again, when the attempt began. The message was sent again since when the row has another number. */
  readonly attemptsBefore: number;
  readonly status: DeliveryRow['status'];
  /** Null unless it is tried again. */
  readonly nextAttemptAt: Date | null;
  readonly responseStatus: number | null;
  readonly error: string | null;
}

/** Writes how an attempt has ended, unless another one has taken over, or the message was sent again meanwhile. */
export const updateDeliveryAttempted = createQuery<AttemptEnd>({
  name: 'update-delivery-attempted',
  text: (
    param,
  ) => `update deliveries set status = ${param.status}, next_attempt_at = ${param.nextAttemptAt}::timestamptz,
      response_status = ${param.responseStatus}::integer, error = ${param.error}
    where account_id = ${param.accountId} and id = ${param.id} and attempts = ${param.attempts}::integer
      and attempts_before = ${param.attemptsBefore}::integer and status = 'pending'`,
});

/** The newest deliveries of a run, newest first. */
export const selectDeliveries = createQuery<{ accountId: string; runSha256: Uint8Array; limit: number }, DeliveryRow>({
  name: 'select-deliveries',
  text: (param) => `select ${columns} from deliveries
    where account_id = ${param.accountId} and run_sha256 = ${param.runSha256} order by created_at desc, id limit ${param.limit}`,
});

interface Resending {
  readonly accountId: string;
  readonly runSha256: Uint8Array;
  readonly id: string;
  readonly now: Date;
  readonly giveUpAt: Date;
}

/** Makes a delivery due at once, with the pauses of a new one. No row when the run has no such delivery. */
export const updateDeliveryResent = createQuery<Resending, DeliveryRow>({
  name: 'update-delivery-resent',
  text: (
    param,
  ) => `update deliveries set status = 'pending', next_attempt_at = ${param.now}, give_up_at = ${param.giveUpAt},
      attempts_before = attempts
    where account_id = ${param.accountId} and run_sha256 = ${param.runSha256} and id = ${param.id} returning ${columns}`,
});

const deleteOfAccount = createQuery<{ accountId: string }, { one: number }>({
  text: (param) => `delete from deliveries where account_id = ${param.accountId} returning 1 as one`,
});

/** Deletes all deliveries of an account, and returns their number. */
export async function deleteAccountDeliveries(tx: Transaction, accountId: string): Promise<number> {
  return (await deleteOfAccount(tx, { accountId })).length;
}

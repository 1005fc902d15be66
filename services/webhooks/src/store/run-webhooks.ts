import { createQuery, type Placeholders, type Queryable, type Transaction } from '@agentmesh/lib/pg';

/** The webhook of a run. */
export interface RunWebhookRow {
  readonly account_id: string;
  readonly run_sha256: Uint8Array;
  readonly app_name: string;
  readonly user_id: string;
  readonly session_id: string;
  readonly invocation_id: string;
  readonly url: string;
  /** New for each registration. */
  readonly secret_id: string;
  readonly secret_fingerprint: string;
  readonly created_at: Date;
  readonly told: string;
  /** The run is not over, as far as is known. */
  readonly is_open: boolean;
}

interface RunKey {
  readonly accountId: string;
  readonly runSha256: Uint8Array;
}

const columns = `account_id, run_sha256, app_name, user_id, session_id, invocation_id, url, secret_id, secret_fingerprint, created_at,
  told, check_at is not null as is_open`;

/** The webhook of a run, unless it has none. */
export const selectRunWebhook = createQuery<RunKey, RunWebhookRow>({
  name: 'select-run-webhook',
  text: (param) =>
    `select ${columns} from run_webhooks where account_id = ${param.accountId} and run_sha256 = ${param.runSha256}`,
});

interface NewRunWebhook extends RunKey {
  readonly appName: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly invocationId: string;
  readonly url: string;
  readonly secretId: string;
  readonly secret: string;
  readonly fingerprint: string;
  readonly now: Date;
  readonly checkAt: Date;
}

const inserting = (
  param: Placeholders<NewRunWebhook>,
): string => `insert into run_webhooks (account_id, run_sha256, app_name, user_id, session_id, invocation_id, url,
      secret_id, secret, secret_fingerprint, created_at, check_at)
    values (${param.accountId}, ${param.runSha256}, ${param.appName}, ${param.userId}, ${param.sessionId}, ${param.invocationId},
      ${param.url}, ${param.secretId}, ${param.secret}, ${param.fingerprint}, ${param.now}, ${param.checkAt})`;

/** Stores the webhook of a run unless the run has one: then it answers no row. */
export const insertFirstRunWebhook = createQuery<NewRunWebhook, { one: number }>({
  name: 'insert-first-run-webhook',
  text: (param) => `${inserting(param)} on conflict (account_id, run_sha256) do nothing returning 1 as one`,
});

/** Stores the webhook of a run. Another one that the run has, or had an earlier run with its names, is replaced by one that has told nothing. */
export const insertRunWebhook = createQuery<NewRunWebhook>({
  name: 'insert-run-webhook',
  text: (param) => `${inserting(param)}
    on conflict (account_id, run_sha256) do update set url = excluded.url, secret_id = excluded.secret_id,
      secret = excluded.secret, secret_fingerprint = excluded.secret_fingerprint, created_at = excluded.created_at,
      check_at = excluded.check_at, told = excluded.told, ended_at = null`,
});

const renew = createQuery<RunKey & { now: Date }, { one: number }>({
  name: 'renew-run-webhook',
  text: (param) => `update run_webhooks set created_at = ${param.now}
    where account_id = ${param.accountId} and run_sha256 = ${param.runSha256} and check_at is not null returning 1 as one`,
});

/** Counts a webhook whose run is not over as registered now. False when there is none. */
export async function renewRunWebhook(db: Queryable, values: RunKey & { now: Date }): Promise<boolean> {
  return (await renew(db, values)).length > 0;
}

interface ListedRunWebhook {
  readonly runSha256: Uint8Array;
  readonly appName: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly invocationId: string;
  readonly url: string;
  readonly createdAt: Date;
}

/** Webhooks of an account behind the one with this hash, in the order of their hashes. */
export const listRunWebhookRows = createQuery<
  { accountId: string; after: Uint8Array; limit: number },
  ListedRunWebhook
>({
  name: 'list-run-webhooks',
  text: (
    param,
  ) => `select run_sha256 as "runSha256", app_name as "appName", user_id as "userId", session_id as "sessionId",
      invocation_id as "invocationId", url, created_at as "createdAt"
    from run_webhooks where account_id = ${param.accountId} and run_sha256 > ${param.after} order by run_sha256 limit ${param.limit}`,
});

const countOpen = createQuery<{ accountId: string; most: number }, { number: bigint }>({
  name: 'count-open-run-webhooks',
  text: (param) => `select greatest((select count(*) from (
      select from run_webhooks where account_id = ${param.accountId} and check_at is not null limit ${param.most}
    ) open), (select count(*) from (
      select from deliveries where account_id = ${param.accountId} and next_attempt_at is not null limit ${param.most}
    ) pending)) as number`,
});

/** Number of webhooks of an account whose run is not over, or of its messages that are not delivered yet if they are more; at most `most`. */
export async function countOpenRunWebhooks(db: Queryable, accountId: string, most: number): Promise<number> {
  const [row] = await countOpen(db, { accountId, most });
  return Number(row?.number ?? 0);
}

export interface SoughtWebhooks {
  readonly accountId: string;
  readonly invocationId: string;
  /** The names of its session; empty for any. */
  readonly appName?: string;
  readonly userId?: string;
  readonly sessionId?: string;
}

const selectSought = createQuery<Required<SoughtWebhooks>, RunWebhookRow>({
  name: 'select-run-webhooks',
  text: (param) => `select ${columns} from run_webhooks
    where account_id = ${param.accountId} and invocation_id = ${param.invocationId}
      and (${param.appName}::text = '' or app_name = ${param.appName}) and (${param.userId}::text = '' or user_id = ${param.userId})
      and (${param.sessionId}::text = '' or session_id = ${param.sessionId})
    order by created_at desc limit 100`,
});

/** The webhooks of an account's runs with this invocation id, newest first. Runs of several sessions may have one id. */
export function selectRunWebhooks(db: Queryable, sought: SoughtWebhooks): Promise<RunWebhookRow[]> {
  return selectSought(db, { appName: '', userId: '', sessionId: '', ...sought });
}

/** Takes webhooks whose run has to be looked at, and plans the next look: the older the webhook, the later, within an hour. */
export const takeRunWebhooksToCheck = createQuery<{ now: Date; limit: number }, RunWebhookRow>({
  name: 'take-run-webhooks-to-check',
  text: (param) => `update run_webhooks
    set check_at = ${param.now}::timestamptz
      + greatest(interval '30 seconds', least(interval '1 hour', (${param.now}::timestamptz - created_at) / 10))
    where (account_id, run_sha256) in (
      select account_id, run_sha256 from run_webhooks where check_at <= ${param.now} order by check_at
      limit ${param.limit} for update skip locked
    ) returning ${columns}`,
});

const lock = createQuery<RunKey & { secretId: string }, { told: string }>({
  name: 'lock-run-webhook',
  text: (param) => `select told from run_webhooks
    where account_id = ${param.accountId} and run_sha256 = ${param.runSha256} and secret_id = ${param.secretId}
      and check_at is not null for update`,
});

/** Locks a webhook whose run is not over, and returns what was told; undefined when there is none, or it was registered anew since it had this secret. */
export async function lockRunWebhook(
  tx: Transaction,
  registration: RunKey & { readonly secretId: string },
): Promise<string | undefined> {
  const [row] = await lock(tx, registration);
  return row?.told;
}

/** Notes what was told of a run, and when it was over; null: it goes on. */
export const updateRunWebhookTold = createQuery<RunKey & { told: string; endedAt: Date | null }>({
  name: 'update-run-webhook-told',
  text: (param) => `update run_webhooks set told = ${param.told}, ended_at = ${param.endedAt}::timestamptz,
      check_at = case when ${param.endedAt}::timestamptz is null then check_at end
    where account_id = ${param.accountId} and run_sha256 = ${param.runSha256}`,
});

/** SQL: an open webhook that was registered before a time. */
const abandoned = (param: Placeholders<RunKey & { before: Date }>): string => `account_id = ${param.accountId}
      and run_sha256 = ${param.runSha256} and check_at is not null and created_at < ${param.before}`;

const messages = 'select from deliveries d where d.account_id = w.account_id and d.run_sha256 = w.run_sha256';

const close = createQuery<RunKey & { before: Date; now: Date }>({
  name: 'close-run-webhook',
  text: (param) => `update run_webhooks w set ended_at = ${param.now}, check_at = null
    where ${abandoned(param)} and exists (${messages})`,
});

const deleteUntold = createQuery<RunKey & { before: Date }>({
  name: 'delete-run-webhook',
  text: (param) => `delete from run_webhooks w where ${abandoned(param)} and told = '' and not exists (${messages})`,
});

/** Forgets a webhook that was registered before a time and whose run is not in the ledger. One that has messages is over, as if its run had ended now. */
export async function forgetRunWebhook(db: Queryable, values: RunKey & { before: Date; now: Date }): Promise<void> {
  await close(db, values);
  await deleteUntold(db, values);
}

const deleteOld = createQuery<{ before: Date; limit: number }, { one: number }>({
  text: (param) => `with old as (
      select account_id, run_sha256 from run_webhooks where ended_at < ${param.before} order by ended_at
      limit ${param.limit} for update skip locked
    ), messages as (
      delete from deliveries d using old where d.account_id = old.account_id and d.run_sha256 = old.run_sha256
    )
    delete from run_webhooks w using old where w.account_id = old.account_id and w.run_sha256 = old.run_sha256 returning 1 as one`,
});

/** Deletes at most `limit` webhooks whose run ended before a time, with their deliveries. Returns their number. */
export async function deleteOldRunWebhooks(db: Queryable, values: { before: Date; limit: number }): Promise<number> {
  return (await deleteOld(db, values)).length;
}

/** Deletes webhooks of ended runs of an account that are older than the newest `kept`, with their messages. Those with a message to deliver stay. */
export const deleteSurplusRunWebhooks = createQuery<{ accountId: string; kept: number }>({
  name: 'delete-surplus-run-webhooks',
  text: (param) => `with old as (
      select run_sha256 from run_webhooks w
      where account_id = ${param.accountId} and ended_at < (
          select ended_at from run_webhooks where account_id = ${param.accountId} and ended_at is not null
          order by ended_at desc offset ${param.kept}::integer limit 1)
        and not exists (select from deliveries d
          where d.account_id = ${param.accountId} and d.run_sha256 = w.run_sha256 and d.next_attempt_at is not null)
      order by ended_at limit 100 for update skip locked
    ), messages as (
      delete from deliveries d using old where d.account_id = ${param.accountId} and d.run_sha256 = old.run_sha256
    )
    delete from run_webhooks w using old where w.account_id = ${param.accountId} and w.run_sha256 = old.run_sha256`,
});

const deleteOfAccount = createQuery<{ accountId: string }, { one: number }>({
  text: (param) => `delete from run_webhooks where account_id = ${param.accountId} returning 1 as one`,
});

/** Deletes all webhooks of an account's runs, and returns their number. */
export async function deleteAccountRunWebhooks(tx: Transaction, accountId: string): Promise<number> {
  return (await deleteOfAccount(tx, { accountId })).length;
}

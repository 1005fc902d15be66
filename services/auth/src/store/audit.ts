import type { Queryable } from '@agentmesh/lib/pg';
import { accountActions } from '../errors.ts';

/** An action on an account. */
export type Action =
  | 'signed_up'
  | 'signed_in'
  | 'sign_in_failed'
  | 'signed_out'
  | 'sign_in_ended'
  | 'sign_ins_ended'
  | 'refresh_token_reused'
  | 'token_created'
  | 'token_revoked'
  | 'reset_requested'
  | 'password_reset'
  | 'verification_requested'
  | 'email_verified'
  | 'profile_changed'
  | 'role_changed'
  | 'address_taken_back'
  | 'data_exported'
  | 'consumer_called'
  | 'consumer_refused'
  | 'account_deleted'
  | 'account_erased';

export interface ActionRecord {
  readonly action: Action;
  /** Undefined: somebody tried to sign in with an address that has no account. */
  readonly accountId: string | undefined;
  /** The account that did it. Undefined: nobody was signed in, or the mesh did it itself. */
  readonly actorId?: string | undefined;
  /** Ids and counts only, no personal data: the record outlives the account. */
  readonly detail?: Readonly<Record<string, string | number | boolean>>;
}

/** Actions that an account can repeat without end. Those that end something are always possible, and not more than what they end. */
const repeatable = new Set<Action>(['signed_in', 'token_created', 'profile_changed', 'data_exported']);
/** Most records of an account in an hour, beyond which no repeatable action is done. */
const mostAnHour = 5_000;

const insertAction = 'insert into audit (account_id, actor_id, action, detail)';
const always = { name: 'record-action', text: `${insertAction} values ($1, $2, $3, $4)` };
const withinLimit = {
  name: 'record-repeatable-action',
  text: `${insertAction} select $1::uuid, $2::uuid, $3::text, $4::jsonb where coalesce(
      (select at from audit where id = (select id from audit where account_id = $1 order by id desc offset ${mostAnHour - 1} limit 1)),
      '-infinity') < now() - interval '1 hour'
    returning 1`,
};

/**
 * Records an action. Call it in the transaction of the action. Records are never changed. Throws MeshError resource_exhausted `account_actions`, for
 * signing in, a new token, a changed profile and an export, when the account has 5,000 records of the last hour.
 */
export async function recordAction(db: Queryable, record: ActionRecord): Promise<void> {
  const { accountId, actorId, action, detail = {} } = record;
  const isLimited = accountId !== undefined && repeatable.has(action);
  const stored = await db.query(isLimited ? withinLimit : always, [accountId, actorId, action, JSON.stringify(detail)]);
  if (isLimited && stored.length === 0) throw accountActions(mostAnHour);
}

const recordAll = {
  name: 'record-actions',
  text: `insert into audit (account_id, action, detail) select * from unnest($1::uuid[], $2::text[], $3::jsonb[])`,
};

/** Records actions that nobody who is signed in has done, with one statement. They count towards no limit. */
export async function recordActions(db: Queryable, records: readonly Omit<ActionRecord, 'actorId'>[]): Promise<void> {
  const accounts = records.map(({ accountId }) => accountId ?? null);
  const details = records.map(({ detail = {} }) => JSON.stringify(detail));
  await db.query(recordAll, [accounts, records.map(({ action }) => action), details]);
}

export interface AuditRow {
  readonly id: bigint;
  readonly public_id: string;
  readonly account_id: string | null;
  readonly actor_id: string | null;
  readonly action: string;
  /** JSON text. */
  readonly detail: string;
  readonly at: Date;
}

export interface AuditPage {
  /** Undefined: all accounts. */
  readonly accountId: string | undefined;
  /** Public id: only records that are older than this one. An unknown one gives no records. */
  readonly before: string | undefined;
  readonly limit: number;
}

const columns = 'id, public_id, account_id, actor_id, action, detail::text as detail, at';
const newest = `id < case when $1::uuid is null then 9223372036854775807 else (select id from audit where public_id = $1) end
  order by id desc limit $2`;

/** A page of records, the newest first. */
export async function selectActions(db: Queryable, { accountId, before, limit }: AuditPage): Promise<AuditRow[]> {
  const place = [before, limit];
  if (accountId === undefined) {
    const all = { name: 'list-actions', text: `select ${columns} from audit where ${newest}` };
    return db.query<AuditRow>(all, place);
  }
  const own = {
    name: 'list-own-actions',
    text: `select ${columns} from audit where account_id = $3 and ${newest}`,
  };
  return db.query<AuditRow>(own, [...place, accountId]);
}

/** Rows that one call deletes at most. Calls follow each other until none is left. */
const purgedAtOnce = 5_000;

/** Deletes records that are over their time, and those without an account after 30 days. */
export async function purgeAudit(db: Queryable, days: number): Promise<void> {
  const purge = { text: 'select purge_audit($1::integer, $2::integer) as gone' };
  for (;;) {
    const [row] = await db.query<{ gone: bigint }>(purge, [days, purgedAtOnce]);
    if (Number(row?.gone ?? 0) < purgedAtOnce) return;
  }
}

import type { Queryable } from '@agentmesh/lib/pg';

/** Kinds of account mail with a token in its link. */
export type MailKind = 'verify' | 'reset';

// `(expires_at > now()) is true`: see rotate-sign-in in sign-ins.ts.
/** Names an attempt at a mail. */
export interface MailAttempt {
  readonly mailId: string;
  /** Counted from 1. */
  readonly attempt: number;
}

/** The purpose of a mailed token. */
export type TokenKind = MailKind | 'answer';

export interface NewMailToken extends MailAttempt {
  readonly accountId: string;
  readonly kind: TokenKind;
  readonly hash: Buffer;
  readonly lifeSeconds: number;
  /** The calls of a run that an `answer` answers. */
  readonly wait?: Uint8Array | undefined;
}

/**
 * Stores the token of a mail and the attempt that may now hand it over. When a mail is tried again, the life of its token begins anew.
 * `again`: it was stored before. `handed_over`: an earlier attempt may have sent the mail, and nothing is changed.
 */
export async function upsertMailToken(db: Queryable, token: NewMailToken): Promise<'new' | 'again' | 'handed_over'> {
  const text = `insert into mail_tokens (account_id, mail_id, kind, token_hash, expires_at, attempt, wait)
    values ($1, $2, $3, $4, now() + make_interval(secs => $5), $6, $7)
    on conflict (mail_id) do update
      set token_hash = excluded.token_hash, expires_at = excluded.expires_at, attempt = excluded.attempt
      where mail_tokens.handing_over_at is null
    returning xmax = 0 as is_new`;
  const { accountId, mailId, kind, hash, lifeSeconds, attempt, wait = null } = token;
  const values = [accountId, mailId, kind, hash, lifeSeconds, attempt, wait];
  const [row] = await db.query<{ is_new: boolean }>({ name: 'upsert-mail-token', text }, values);
  if (row === undefined) return 'handed_over';
  return row.is_new ? 'new' : 'again';
}

/**
 * Notes that the server may have the mail from here on. False when a later attempt was admitted, the token has been ended, or the
 * account is gone: the mail must not leave.
 */
export async function beginHandingOver(db: Queryable, { mailId, attempt }: MailAttempt): Promise<boolean> {
  const text = `update mail_tokens t set handing_over_at = now()
    where mail_id = $1 and attempt = $2 and handing_over_at is null and used_at is null
      and exists (select from accounts a where a.id = t.account_id)
    returning mail_id`;
  return (await db.query({ name: 'begin-handing-over', text }, [mailId, attempt])).length > 0;
}

/** The server has not taken the mail: it may be sent again. */
export async function cancelHandingOver(db: Queryable, { mailId, attempt }: MailAttempt): Promise<void> {
  const text = 'update mail_tokens set handing_over_at = null where mail_id = $1 and attempt = $2';
  await db.query({ name: 'cancel-handing-over', text }, [mailId, attempt]);
}

/** Number of other mails of this kind that the account was sent within the last hour. */
export async function countRecentMails(
  db: Queryable,
  { accountId, kind, mailId }: Pick<NewMailToken, 'accountId' | 'kind' | 'mailId'>,
): Promise<number> {
  const text = `select count(*)::integer as n from mail_tokens
    where account_id = $1 and kind = $2 and created_at > now() - interval '1 hour' and mail_id <> $3`;
  const [row] = await db.query<{ n: number }>({ name: 'count-recent-mails', text }, [accountId, kind, mailId]);
  return row?.n ?? 0;
}

/** Ids of the mails of an account whose tokens are still stored. */
export async function selectMailIds(db: Queryable, accountId: string): Promise<string[]> {
  const text = 'select mail_id from mail_tokens where account_id = $1';
  return (await db.query<{ mail_id: string }>({ text }, [accountId])).map((row) => row.mail_id);
}

export interface MailTokenRow {
  readonly account_id: string;
  readonly kind: TokenKind;
  readonly used: boolean;
}

/** The token with a hash, unless it has expired. */
export async function findMailToken(db: Queryable, hash: Buffer): Promise<MailTokenRow | undefined> {
  const text = `select account_id, kind, used_at is not null as used from mail_tokens
    where token_hash = $1 and (expires_at > now()) is true`;
  const [row] = await db.query<MailTokenRow>({ name: 'find-mail-token', text }, [hash]);
  return row;
}

export interface AnswerTokenRow {
  readonly account_id: string;
  /** The RunWait message, serialized. */
  readonly wait: Uint8Array;
  readonly expired: boolean;
}

/** The token of an answer with a hash, also when it has expired. Undefined when its account is gone. */
export async function findAnswerToken(db: Queryable, hash: Buffer): Promise<AnswerTokenRow | undefined> {
  const text = `select account_id, wait, (expires_at > now()) is not true as expired from mail_tokens t
    where token_hash = $1 and kind = 'answer' and exists (select from accounts a where a.id = t.account_id)`;
  const [row] = await db.query<AnswerTokenRow>({ name: 'find-answer-token', text }, [hash]);
  return row;
}

/** Deletes the tokens of answers of an account: they hold names of its sessions. */
export async function deleteAnswerTokens(db: Queryable, accountId: string): Promise<void> {
  await db.query({ text: "delete from mail_tokens where account_id = $1 and kind = 'answer'" }, [accountId]);
}

/** Marks a token as used. False when it is used or expired already. */
export async function useMailToken(db: Queryable, hash: Buffer): Promise<boolean> {
  const text = `update mail_tokens set used_at = now()
    where token_hash = $1 and used_at is null and (expires_at > now()) is true returning mail_id`;
  return (await db.query({ name: 'use-mail-token', text }, [hash])).length > 0;
}

/** Marks all unused tokens of a kind of an account as used. */
export async function endMailTokens(db: Queryable, accountId: string, kind: MailKind): Promise<void> {
  const text = 'update mail_tokens set used_at = now() where account_id = $1 and kind = $2 and used_at is null';
  await db.query({ name: 'end-mail-tokens', text }, [accountId, kind]);
}

/** Deletes tokens that expired over a day ago. */
export async function purgeMailTokens(db: Queryable): Promise<void> {
  await db.query({ text: "delete from mail_tokens where expires_at < now() - interval '1 day'" });
}

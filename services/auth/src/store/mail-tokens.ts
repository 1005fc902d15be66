import type { Queryable } from '@agentmesh/lib/pg';
import type { MailKind } from './mails.ts';

export interface NewMailToken {
  readonly accountId: string;
  readonly mailId: string;
  readonly kind: MailKind;
  readonly hash: Buffer;
  readonly lifeSeconds: number;
}

/** Stores the token of a mail. Its lifetime begins again with each attempt to send the mail. */
export async function saveMailToken(db: Queryable, token: NewMailToken): Promise<void> {
  const text = `insert into mail_tokens (account_id, mail_id, kind, token_hash, expires_at)
    values ($1, $2, $3, $4, now() + make_interval(secs => $5))
    on conflict (mail_id) do update set token_hash = excluded.token_hash, expires_at = excluded.expires_at`;
  const { accountId, mailId, kind, hash, lifeSeconds } = token;
  await db.query({ name: 'save-mail-token', text }, [accountId, mailId, kind, hash, lifeSeconds]);
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
  readonly kind: MailKind;
  readonly used: boolean;
}

/** The token with a hash, unless it has expired. */
export async function findMailToken(db: Queryable, hash: Buffer): Promise<MailTokenRow | undefined> {
  const text = `select account_id, kind, used_at is not null as used from mail_tokens
    where token_hash = $1 and expires_at > now()`;
  const [row] = await db.query<MailTokenRow>({ name: 'find-mail-token', text }, [hash]);
  return row;
}

/** Marks a token as used. False when it is used or expired already. */
export async function useMailToken(db: Queryable, hash: Buffer): Promise<boolean> {
  const text = `update mail_tokens set used_at = now()
    where token_hash = $1 and used_at is null and expires_at > now() returning mail_id`;
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

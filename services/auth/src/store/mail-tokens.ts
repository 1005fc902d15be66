import type { Queryable } from '@agentmesh/lib/pg';
import type { MailKind } from './mails.ts';

export interface NewMailToken {
  readonly accountId: string;
  readonly mailId: string;
  readonly kind: MailKind;
  readonly hash: Buffer;
  readonly lifeSeconds: number;
}

/** Stores the token of a mail; of one that is tried again, the life begins anew. */
export async function saveMailToken(db: Queryable, token: NewMailToken): Promise<void> {
  const text = `insert into mail_tokens (account_id, mail_id, kind, token_hash, expires_at)
    values ($1, $2, $3, $4, now() + make_interval(secs => $5))
    on conflict (mail_id) do update set token_hash = excluded.token_hash, expires_at = excluded.expires_at`;
  const { accountId, mailId, kind, hash, lifeSeconds } = token;
  await db.query({ name: 'auth_save_mail_token', text }, [accountId, mailId, kind, hash, lifeSeconds]);
}

/** How many other mails of a kind an account was sent within the last hour. */
export async function countRecentMails(
  db: Queryable,
  { accountId, kind, mailId }: Pick<NewMailToken, 'accountId' | 'kind' | 'mailId'>,
): Promise<number> {
  const text = `select count(*)::integer as n from mail_tokens
    where account_id = $1 and kind = $2 and created_at > now() - interval '1 hour' and mail_id <> $3`;
  const [row] = await db.query<{ n: number }>({ name: 'auth_count_recent_mails', text }, [accountId, kind, mailId]);
  return row?.n ?? 0;
}

/** The mails of an account whose tokens have not been removed yet. */
export async function mailsOf(db: Queryable, accountId: string): Promise<string[]> {
  const text = 'select mail_id from mail_tokens where account_id = $1';
  return (await db.query<{ mail_id: string }>({ text }, [accountId])).map((row) => row.mail_id);
}

export interface MailTokenRow {
  readonly account_id: string;
  readonly kind: MailKind;
  readonly used: boolean;
}

/** One that has not expired. */
export async function findMailToken(db: Queryable, hash: Buffer): Promise<MailTokenRow | undefined> {
  const text = `select account_id, kind, used_at is not null as used from mail_tokens
    where token_hash = $1 and expires_at > now()`;
  const [row] = await db.query<MailTokenRow>({ name: 'auth_find_mail_token', text }, [hash]);
  return row;
}

/** Uses a token; false when it was used or has expired meanwhile. */
export async function useMailToken(db: Queryable, hash: Buffer): Promise<boolean> {
  const text = `update mail_tokens set used_at = now()
    where token_hash = $1 and used_at is null and expires_at > now() returning mail_id`;
  return (await db.query({ name: 'auth_use_mail_token', text }, [hash])).length > 0;
}

/** Ends what else an account was sent of a kind. */
export async function endMailTokens(db: Queryable, accountId: string, kind: MailKind): Promise<void> {
  const text = 'update mail_tokens set used_at = now() where account_id = $1 and kind = $2 and used_at is null';
  await db.query({ name: 'auth_end_mail_tokens', text }, [accountId, kind]);
}

/** Removes what expired over a day ago. */
export async function purgeMailTokens(db: Queryable): Promise<void> {
  await db.query({ text: "delete from mail_tokens where expires_at < now() - interval '1 day'" });
}

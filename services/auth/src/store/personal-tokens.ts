import type { Queryable } from '@agentmesh/lib/pg';

const page = 200;

export interface PersonalTokenRow {
  readonly id: string;
  readonly name: string;
  readonly scopes: string[];
  readonly user_id: string | null;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
  readonly expires_at: Date;
}

export interface NewPersonalToken {
  readonly accountId: string;
  readonly tokenHash: Buffer;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly userId: string | undefined;
  readonly lifeSeconds: number;
}

const columns = 'id, name, scopes, user_id, created_at, last_used_at, expires_at';

/** The new row; undefined when there is no such account, or when it has `limit` tokens already. */
export async function insertPersonalToken(
  db: Queryable,
  token: NewPersonalToken,
  limit: number,
): Promise<PersonalTokenRow | undefined> {
  const [row] = await db.query<PersonalTokenRow>(
    {
      name: 'auth_insert_personal_token',
      text: `insert into personal_tokens (account_id, token_hash, name, scopes, user_id, expires_at)
        select a.id, $2, $3, $4, $5, now() + make_interval(secs => $6) from accounts a
        where a.id = $1 and $7 > (select count(*) from personal_tokens where account_id = $1 and expires_at > now())
        returning ${columns}`,
    },
    [token.accountId, token.tokenHash, token.name, token.scopes, token.userId ?? null, token.lifeSeconds, limit],
  );
  return row;
}

export interface PersonalTokenPage {
  readonly accountId: string;
  /** Only those bound to this end user. */
  readonly userId: string | undefined;
  /** Those after this one alone. */
  readonly afterId: string | undefined;
}

/** The newest first, at most 200; whether there are more. */
export async function listPersonalTokens(
  db: Queryable,
  { accountId, userId, afterId }: PersonalTokenPage,
): Promise<{ readonly rows: PersonalTokenRow[]; readonly hasMore: boolean }> {
  const rows = await db.query<PersonalTokenRow>(
    {
      name: 'auth_list_personal_tokens',
      text: `select ${columns} from personal_tokens
        where account_id = $1 and expires_at > now() and ($2::text is null or user_id = $2)
          and ($3::uuid is null or (created_at, id) <
            (select created_at, id from personal_tokens where account_id = $1 and id = $3))
        order by created_at desc, id desc limit ${page + 1}`,
    },
    [accountId, userId ?? null, afterId ?? null],
  );
  return { rows: rows.slice(0, page), hasMore: rows.length > page };
}

/** Answers how many there were. */
export async function deletePersonalTokens(
  db: Queryable,
  { accountId, id, userId }: { accountId: string; id?: string | undefined; userId?: string | undefined },
): Promise<number> {
  const rows = await db.query(
    {
      name: 'auth_delete_personal_tokens',
      text: `delete from personal_tokens
        where account_id = $1 and ($2::uuid is null or id = $2) and ($3::text is null or user_id = $3)
        returning id`,
    },
    [accountId, id ?? null, userId ?? null],
  );
  return rows.length;
}

export type FoundPersonalToken = PersonalTokenRow & { readonly account_id: string; readonly email: string };

/** The token of a hash, unless it has expired; notes that it was used. */
export async function usePersonalToken(db: Queryable, tokenHash: Buffer): Promise<FoundPersonalToken | undefined> {
  const [row] = await db.query<FoundPersonalToken>(
    {
      name: 'auth_use_personal_token',
      text: `update personal_tokens t set last_used_at = now() from accounts a
        where t.token_hash = $1 and t.expires_at > now() and a.id = t.account_id
        returning t.id, t.name, t.scopes, t.user_id, t.created_at, t.last_used_at, t.expires_at, t.account_id, a.email`,
    },
    [tokenHash],
  );
  return row;
}

export async function purgePersonalTokens(db: Queryable): Promise<void> {
  await db.query({ text: 'delete from personal_tokens where expires_at < now()' });
}

import { createQuery, type Queryable } from '@agentmesh/lib/pg';

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

// `(expires_at > now()) is true`: see rotate-sign-in in sign-ins.ts.
const columns = 'id, name, scopes, user_id, created_at, last_used_at, expires_at';

const insertPersonalTokenQuery = createQuery<NewPersonalToken & { limit: number }, PersonalTokenRow>({
  name: 'insert-personal-token',
  text: (param) => `insert into personal_tokens (account_id, token_hash, name, scopes, user_id, expires_at)
    select a.id, ${param.tokenHash}, ${param.name}, ${param.scopes}, ${param.userId},
      now() + make_interval(secs => ${param.lifeSeconds})
    from accounts a
    where a.id = ${param.accountId} and ${param.limit} > (
      select count(*) from personal_tokens where account_id = ${param.accountId} and (expires_at > now()) is true)
    returning ${columns}`,
});

/** The new row. Undefined when there is no such account, or it has `limit` tokens already. */
export async function insertPersonalToken(
  db: Queryable,
  token: NewPersonalToken,
  limit: number,
): Promise<PersonalTokenRow | undefined> {
  const [row] = await insertPersonalTokenQuery(db, { ...token, limit });
  return row;
}

export interface PersonalTokenPage {
  readonly accountId: string;
  /** Only tokens bound to this end user; undefined: all. */
  readonly userId: string | undefined;
  /** The page begins after this token. */
  readonly afterId: string | undefined;
  /** Tokens in the page; 0: as many as a page may have. */
  readonly limit: number;
}

/** A page of an account's tokens, the newest first, at most 200. */
export async function selectPersonalTokens(
  db: Queryable,
  { accountId, userId, afterId, limit }: PersonalTokenPage,
): Promise<{ readonly rows: PersonalTokenRow[]; readonly hasMore: boolean }> {
  const most = Math.min(limit || page, page);
  const rows = await db.query<PersonalTokenRow>(
    {
      name: 'list-personal-tokens',
      text: `select ${columns} from personal_tokens
        where account_id = $1 and (expires_at > now()) is true and ($2::text is null or user_id = $2)
          and ($3::uuid is null or (created_at, id) <
            (select created_at, id from personal_tokens where account_id = $1 and id = $3))
        order by created_at desc, id desc limit $4`,
    },
    [accountId, userId ?? null, afterId ?? null, most + 1],
  );
  return { rows: rows.slice(0, most), hasMore: rows.length > most };
}

/** Deletes the tokens of an account, or only those with an id or of an end user. Returns their number. */
export async function deletePersonalTokens(
  db: Queryable,
  { accountId, id, userId }: { accountId: string; id?: string | undefined; userId?: string | undefined },
): Promise<number> {
  const rows = await db.query(
    {
      name: 'delete-personal-tokens',
      text: `delete from personal_tokens
        where account_id = $1 and ($2::uuid is null or id = $2) and ($3::text is null or user_id = $3)
        returning id`,
    },
    [accountId, id ?? null, userId ?? null],
  );
  return rows.length;
}

export type FoundPersonalToken = PersonalTokenRow & { readonly account_id: string; readonly email: string };

/** The token with a hash, unless it has expired. Sets the time of its last use. */
export async function usePersonalToken(db: Queryable, tokenHash: Buffer): Promise<FoundPersonalToken | undefined> {
  const [row] = await db.query<FoundPersonalToken>(
    {
      name: 'use-personal-token',
      text: `update personal_tokens t set last_used_at = now() from accounts a
        where t.token_hash = $1 and (t.expires_at > now()) is true and a.id = t.account_id
        returning t.id, t.name, t.scopes, t.user_id, t.created_at, t.last_used_at, t.expires_at, t.account_id, a.email`,
    },
    [tokenHash],
  );
  return row;
}

export async function purgePersonalTokens(db: Queryable): Promise<void> {
  await db.query({ text: 'delete from personal_tokens where expires_at < now()' });
}

import { createQuery, type Queryable, type Transaction } from '@agentmesh/lib/pg';

export type Role = 'USER' | 'ADMIN';

export interface AccountRow {
  readonly id: string;
  readonly user_id: bigint;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly username: string | null;
  readonly full_name: string | null;
  readonly avatar_url: string | null;
  readonly role: Role;
  readonly onboarding_completed: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface CredentialsRow {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly password_hash: string | null;
  /** The account was created with the duty to prove its address, and has not done so. */
  readonly verification_owed: boolean;
  /** The owner of the address has proven it, or the operator vouched for it. */
  readonly verified: boolean;
}

export interface NewAccount {
  readonly email: string;
  /** Undefined: nobody can sign in by password. */
  readonly passwordHash: string | undefined;
  readonly firstName: string;
  readonly lastName: string;
  readonly username?: string | undefined;
  readonly fullName?: string | undefined;
  readonly avatarUrl?: string | undefined;
  readonly role: Role;
  readonly emailVerified: boolean;
  readonly emailVerificationWaived: boolean;
  /** Hash of the secret of the browser that signs up. */
  readonly signUpHash?: Buffer | undefined;
}

/** Fields that are undefined are not changed. */
export interface ProfileChange {
  readonly firstName: string | undefined;
  readonly lastName: string | undefined;
  readonly username: string | undefined;
  readonly fullName: string | undefined;
  readonly onboardingCompleted: boolean | undefined;
}

export type AccountKey = { readonly userId: bigint } | { readonly email: string };

const columns = `id, user_id, email, first_name, last_name, username, full_name, avatar_url, role, onboarding_completed,
  created_at, updated_at`;

const insertAccountQuery = createQuery<NewAccount, AccountRow>({
  name: 'insert-account',
  text: (
    param,
  ) => `insert into accounts (email, password_hash, first_name, last_name, username, full_name, avatar_url, role,
      email_verified_at, email_verification_waived, sign_up_hash)
    values (${param.email}, ${param.passwordHash}, ${param.firstName}, ${param.lastName}, ${param.username},
      ${param.fullName}, ${param.avatarUrl}, ${param.role}, case when ${param.emailVerified}::boolean then now() end,
      ${param.emailVerificationWaived}, ${param.signUpHash})
    on conflict (email) do nothing
    returning ${columns}`,
});

/** The new row, or undefined when the address already has an account. */
export async function insertAccount(db: Queryable, account: NewAccount): Promise<AccountRow | undefined> {
  const [row] = await insertAccountQuery(db, account);
  return row;
}

export async function selectAccount(db: Queryable, id: string): Promise<AccountRow | undefined> {
  const statement = { name: 'find-account', text: `select ${columns} from accounts where id = $1` };
  const [row] = await db.query<AccountRow>(statement, [id]);
  return row;
}

/** The account with a user id, or with an e-mail address in normal form. */
export async function selectNamedAccount(db: Queryable, name: AccountKey): Promise<AccountRow | undefined> {
  const [column, value] = 'userId' in name ? ['user_id', name.userId] : ['email', name.email];
  const statement = {
    name: `find-account-by-${column.replace('_', '-')}`,
    text: `select ${columns} from accounts where ${column} = $1`,
  };
  const [row] = await db.query<AccountRow>(statement, [value]);
  return row;
}

interface AccountPage {
  /** Only accounts behind this user id count. */
  readonly after: bigint;
  readonly offset: number;
  readonly limit: number;
}

/** A page of all accounts in the order of their user ids, which begin with 1, and the number of all accounts. */
export async function selectAccounts(
  db: Queryable,
  { after, offset, limit }: AccountPage,
): Promise<{ readonly rows: readonly AccountRow[]; readonly total: bigint }> {
  const page = { text: `select ${columns} from accounts where user_id > $1 order by user_id offset $2 limit $3` };
  const [rows, [count]] = await Promise.all([
    db.query<AccountRow>(page, [after, offset, limit]),
    db.query<{ total: bigint }>({ text: 'select count(*) as total from accounts' }),
  ]);
  return { rows, total: count?.total ?? 0n };
}

const updateProfileQuery = createQuery<ProfileChange & { id: string }, AccountRow>({
  name: 'update-profile',
  text: (param) => `update accounts set first_name = coalesce(${param.firstName}, first_name),
      last_name = coalesce(${param.lastName}, last_name), username = coalesce(${param.username}, username),
      full_name = coalesce(${param.fullName}, full_name),
      onboarding_completed = coalesce(${param.onboardingCompleted}, onboarding_completed), updated_at = now()
    where id = ${param.id} returning ${columns}`,
});

/** Changes the given fields of a profile. Undefined when the account is gone. */
export async function updateProfile(db: Queryable, id: string, change: ProfileChange): Promise<AccountRow | undefined> {
  const [row] = await updateProfileQuery(db, { ...change, id });
  return row;
}

export async function findCredentials(db: Queryable, email: string): Promise<CredentialsRow | undefined> {
  const [row] = await db.query<CredentialsRow>(
    {
      name: 'find-credentials',
      text: `select id, email, role, password_hash,
          email_verified_at is null and not email_verification_waived as verification_owed,
          email_verified_at is not null as verified
        from accounts where email = $1`,
    },
    [email],
  );
  return row;
}

/** Replaces the password hash `from` by `to`. Does nothing when the stored hash is another. */
export async function replacePasswordHash(
  db: Queryable,
  { id, from, to }: { readonly id: string; readonly from: string; readonly to: string },
): Promise<void> {
  const text = 'update accounts set password_hash = $3, updated_at = now() where id = $1 and password_hash = $2';
  await db.query({ name: 'replace-password-hash', text }, [id, from, to]);
}

/** Whether an address in normal form has an account. */
export async function selectIsTaken(db: Queryable, email: string): Promise<boolean> {
  const find = { name: 'select-is-taken', text: 'select from accounts where email = $1' };
  return (await db.query(find, [email])).length > 0;
}

/** A user id that no account has or will have. */
export async function selectUnusedUserId(db: Queryable): Promise<bigint> {
  const next = {
    name: 'select-unused-user-id',
    text: "select nextval(pg_get_serial_sequence('accounts', 'user_id')) as id",
  };
  const [row] = await db.query<{ id: bigint }>(next, []);
  return row?.id ?? 0n;
}

/** Makes an account an ADMIN with a proven address, if this is still its password hash. False if it is not. */
export async function updateToAdmin(db: Queryable, id: string, passwordHash: string): Promise<boolean> {
  const text = `update accounts set role = 'ADMIN', email_verified_at = coalesce(email_verified_at, now()), updated_at = now()
    where id = $1 and password_hash = $2 returning id`;
  return (await db.query({ name: 'update-to-admin', text }, [id, passwordHash])).length > 0;
}

/** Gives an account whose address was never proven an address that receives no mail. False if it has changed meanwhile. */
export async function updateToNoAddress(db: Queryable, id: string, email: string): Promise<boolean> {
  const text = `update accounts set email = 'renamed-' || user_id || '@renamed.invalid', sign_up_hash = null, updated_at = now()
    where id = $1 and email = $2 and email_verified_at is null returning id`;
  return (await db.query({ name: 'update-to-no-address', text }, [id, email])).length > 0;
}

export interface RecipientRow {
  readonly id: string;
  /** The address is proven. */
  readonly verified: boolean;
}

/** The account that mail to an address in normal form is for. */
export async function findRecipient(db: Queryable, email: string): Promise<RecipientRow | undefined> {
  const text = 'select id, email_verified_at is not null as verified from accounts where email = $1';
  const [row] = await db.query<RecipientRow>({ name: 'find-recipient', text }, [email]);
  return row;
}

/** Locks an account until the transaction ends, so that transactions act on it one after another. False when it is gone. */
export async function lockAccount(tx: Transaction, id: string): Promise<boolean> {
  const text = 'select id from accounts where id = $1 for no key update';
  return (await tx.query({ name: 'lock-account', text }, [id])).length > 0;
}

/** Forgets which browser signed up, because another one has signed up with the same address before it was proven. */
export async function contestSignUp(tx: Transaction, email: string): Promise<void> {
  const text = 'update accounts set sign_up_hash = null where email = $1 and email_verified_at is null';
  await tx.query({ name: 'contest-sign-up', text }, [email]);
}

/** An account as it was when its address was proven. */
export interface ProvenRow {
  readonly email: string;
  readonly was_verified: boolean;
  readonly has_password: boolean;
  /** Null: another browser has signed up with the address too. */
  readonly sign_up_hash: Buffer | null;
  /** Created while verification was not required, so that it could sign in before. */
  readonly was_waived: boolean;
}

/** Marks the address of an account as proven. Returns the account as it was before. Undefined: the account is gone. */
export async function markVerified(db: Queryable, id: string): Promise<ProvenRow | undefined> {
  const [row] = await db.query<ProvenRow>(
    {
      name: 'mark-verified',
      text: `with found as (select id, email_verified_at, sign_up_hash from accounts where id = $1 for update)
        update accounts a set email_verified_at = coalesce(a.email_verified_at, now()), sign_up_hash = null
        from found where a.id = found.id
        returning a.email, found.email_verified_at is not null as was_verified, a.password_hash is not null as has_password,
          found.sign_up_hash, a.email_verification_waived as was_waived`,
    },
    [id],
  );
  return row;
}

/** Sets a password hash; null: no password signs in. */
export async function setPasswordHash(db: Queryable, id: string, hash: string | null): Promise<void> {
  const text = 'update accounts set password_hash = $2, updated_at = now() where id = $1';
  await db.query({ name: 'set-password-hash', text }, [id, hash]);
}

export interface ErasedAccount {
  readonly email: string;
  /** Whether its owner had proven the address. */
  readonly verified: boolean;
  readonly counts: { readonly accounts: 1; readonly sign_ins: number; readonly personal_tokens: number };
}

/** Deletes an account with its sign-ins and personal tokens. Undefined when there is no such account. */
export async function deleteAccountRows(tx: Transaction, id: string): Promise<ErasedAccount | undefined> {
  const locked = {
    text: 'select email, email_verified_at is not null as verified from accounts where id = $1 for update',
  };
  const [row] = await tx.query<{ email: string; verified: boolean }>(locked, [id]);
  if (row === undefined) return undefined;
  const signIns = await tx.query({ text: 'delete from sign_ins where account_id = $1 returning 1' }, [id]);
  const tokens = await tx.query({ text: 'delete from personal_tokens where account_id = $1 returning 1' }, [id]);
  await tx.query({ text: 'delete from accounts where id = $1' }, [id]);
  return { ...row, counts: { accounts: 1, sign_ins: signIns.length, personal_tokens: tokens.length } };
}

import { createQuery, type Queryable, type Transaction } from '@agentmesh/lib/pg';
import type { Role } from './accounts.ts';

/** Time for which the token before the newest may be sent again, by browser tabs and retries that did not get the answer. */
const graceSeconds = 10;
/** Sign-ins that an account keeps, ended ones included. So many are listed. */
const kept = 200;

export interface Device {
  readonly userAgent: string;
  readonly address: string;
}

/** A sign-in and its account. */
export interface SignInOwner {
  readonly account_id: string;
  readonly sign_in_id: string;
  readonly email: string;
  readonly role: Role;
}

/** The family of a token that was shown. */
export interface FamilyRow extends SignInOwner {
  readonly is_current: boolean;
  /** The shown token is the one before the newest, and may still be sent again. */
  readonly is_recent_parent: boolean;
  readonly successor_salt: Buffer | null;
  readonly ended: boolean;
  readonly expired: boolean;
  readonly verification_owed: boolean;
}

export interface SignInRow {
  readonly id: string;
  readonly user_agent: string;
  readonly address: string;
  readonly created_at: Date;
  readonly last_used_at: Date;
  readonly expires_at: Date;
}

export interface NewSignIn {
  readonly accountId: string;
  /** The stored hash that the password was checked against: no sign-in begins with a password that was changed since. */
  readonly passwordHash: string;
  readonly familyHash: Buffer;
  readonly currentHash: Buffer;
  readonly device: Device;
  readonly lifeSeconds: number;
}

const insertSignInQuery = createQuery<NewSignIn & Device, { id: string }>({
  name: 'insert-sign-in',
  // The lock on the account orders this statement with the one that raises the generation, and sign-ins of the account with each other. A sign-in that begins
  // before the generation is raised is ended by it.
  text: (
    param,
  ) => `insert into sign_ins (account_id, generation, family_hash, current_hash, user_agent, address, expires_at)
    select id, sign_in_generation, ${param.familyHash}, ${param.currentHash}, ${param.userAgent}, ${param.address},
      now() + make_interval(secs => ${param.lifeSeconds})
    from accounts where id = ${param.accountId} and password_hash = ${param.passwordHash} for no key update
    returning id`,
});

const deleteSurplus = createQuery<{ accountId: string }>({
  name: 'delete-surplus-sign-ins',
  text: (param) => `delete from sign_ins where account_id = ${param.accountId} and id = any(array(
      select s.id from sign_ins s join accounts a on a.id = s.account_id where s.account_id = ${param.accountId}
      order by s.ended_at is not null or s.generation <> a.sign_in_generation, s.last_used_at desc offset ${kept}
    ))`,
});

/**
 * Stores a sign-in, and deletes all but 200 of the account: first those that have ended, then those that were not used for longest. Returns its id; undefined when the
 * account is gone or its password was changed.
 */
export async function insertSignIn(tx: Transaction, signIn: NewSignIn): Promise<string | undefined> {
  const [row] = await insertSignInQuery(tx, { ...signIn, ...signIn.device });
  if (row !== undefined) await deleteSurplus(tx, { accountId: signIn.accountId });
  return row?.id;
}

export interface Rotation {
  readonly familyHash: Buffer;
  /** Hash of the token that was shown. Only the newest one is rotated. */
  readonly shownHash: Buffer;
  readonly successorHash: Buffer;
  readonly salt: Buffer;
  readonly device: Device;
  readonly lifeSeconds: number;
  readonly verificationRequired: boolean;
}

// `(expires_at > now()) is true` cannot be looked up in the index by expiry, which may seem cheaper than that of the hash when most rows have expired.
const rotateSignInQuery = createQuery<Rotation & Device, SignInOwner>({
  name: 'rotate-sign-in',
  text: (param) => `update sign_ins s set parent_hash = s.current_hash, current_hash = ${param.successorHash},
      successor_salt = ${param.salt}, rotated_at = now(), last_used_at = now(), user_agent = ${param.userAgent},
      address = ${param.address}, expires_at = now() + make_interval(secs => ${param.lifeSeconds})
    from accounts a
    where s.family_hash = ${param.familyHash} and s.current_hash = ${param.shownHash} and s.ended_at is null
      and (s.expires_at > now()) is true and a.id = s.account_id and a.sign_in_generation = s.generation
      and not (${param.verificationRequired}::boolean and a.email_verified_at is null
        and not a.email_verification_waived)
    returning s.account_id, s.id as sign_in_id, a.email, a.role`,
});

/** Replaces the newest token of a family by its successor. Undefined, and no change, when the shown token is not the newest. */
export async function rotateSignIn(db: Queryable, rotation: Rotation): Promise<SignInOwner | undefined> {
  const [row] = await rotateSignInQuery(db, { ...rotation, ...rotation.device });
  return row;
}

/** The family of a token. Undefined when there is none. */
export async function findFamily(
  db: Queryable,
  { familyHash, shownHash }: { readonly familyHash: Buffer; readonly shownHash: Buffer },
): Promise<FamilyRow | undefined> {
  const [row] = await db.query<FamilyRow>(
    {
      name: 'find-family',
      text: `select s.account_id, s.id as sign_in_id, a.email, a.role, s.current_hash = $2 as is_current, s.successor_salt,
          coalesce(s.parent_hash = $2 and s.rotated_at > now() - make_interval(secs => ${graceSeconds}), false)
            as is_recent_parent,
          s.ended_at is not null or s.generation <> a.sign_in_generation as ended, s.expires_at <= now() as expired,
          a.email_verified_at is null and not a.email_verification_waived as verification_owed
        from sign_ins s join accounts a on a.id = s.account_id
        where s.family_hash = $1`,
    },
    [familyHash, shownHash],
  );
  return row;
}

export interface EndedSignIn {
  readonly account_id: string;
  readonly id: string;
}

/** Ends the sign-in of a family. Undefined when there is none, or it has ended already. */
export async function markFamilyEnded(db: Queryable, familyHash: Buffer): Promise<EndedSignIn | undefined> {
  const [row] = await db.query<EndedSignIn>(
    {
      name: 'end-family',
      text: 'update sign_ins set ended_at = now() where family_hash = $1 and ended_at is null returning account_id, id',
    },
    [familyHash],
  );
  return row;
}

/** Sign-ins of an account that have not ended, the last used first, at most 200. */
export async function selectSignIns(db: Queryable, accountId: string): Promise<SignInRow[]> {
  return db.query<SignInRow>(
    {
      name: 'list-sign-ins',
      text: `select s.id, s.user_agent, s.address, s.created_at, s.last_used_at, s.expires_at
        from sign_ins s join accounts a on a.id = s.account_id
        where s.account_id = $1 and s.generation = a.sign_in_generation and s.ended_at is null and (s.expires_at > now()) is true
        order by s.last_used_at desc, s.id limit ${kept}`,
    },
    [accountId],
  );
}

/** Ends one sign-in. False when there is none, or it has ended already. */
export async function markSignInEnded(
  db: Queryable,
  { accountId, id }: { readonly accountId: string; readonly id: string },
): Promise<boolean> {
  const rows = await db.query(
    {
      name: 'end-sign-in',
      text: `update sign_ins s set ended_at = now() from accounts a
        where s.account_id = $1 and s.id = $2 and s.ended_at is null and (s.expires_at > now()) is true
          and a.id = s.account_id and a.sign_in_generation = s.generation
        returning s.id`,
    },
    [accountId, id],
  );
  return rows.length > 0;
}

/**
 * Ends all sign-ins of an account except `exceptId`, by raising their account's generation: its cost does not grow with their number.
 * False when there is no such account.
 */
export async function markSignInsEnded(
  db: Queryable,
  { accountId, exceptId }: { readonly accountId: string; readonly exceptId: string | undefined },
): Promise<boolean> {
  const rows = await db.query(
    {
      name: 'end-sign-ins',
      text: `with raised as (
          update accounts set sign_in_generation = sign_in_generation + 1, sign_ins_valid_from = now() where id = $1
          returning id, sign_in_generation)
        , kept as (
          update sign_ins s set generation = raised.sign_in_generation from raised
          where s.account_id = raised.id and s.id = $2 and s.generation = raised.sign_in_generation - 1)
        select id from raised`,
    },
    [accountId, exceptId ?? null],
  );
  return rows.length > 0;
}

/** Removes sign-ins that expired over a day ago. Until then, an expired token is answered differently from an unknown one. */
export async function purgeSignIns(db: Queryable): Promise<void> {
  await db.query({ text: "delete from sign_ins where expires_at < now() - interval '1 day'" });
}

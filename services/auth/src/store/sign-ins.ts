import type { Queryable } from '@agentmesh/lib/pg';
import type { Role } from './accounts.ts';

/** How long the token before the newest may be sent again: for tabs and retries that did not see the answer. */
const graceSeconds = 10;
const listed = 200;

export interface Device {
  readonly userAgent: string;
  readonly address: string;
}

/** A sign-in and whose it is. */
export interface SignInOwner {
  readonly account_id: string;
  readonly sign_in_id: string;
  readonly email: string;
  readonly role: Role;
}

/** What is known of a family when a token of it is shown. */
export interface FamilyRow extends SignInOwner {
  readonly is_current: boolean;
  /** The shown token is the one before the newest, and may still be sent. */
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
  /** As it was when it was checked: a sign-in must not begin with a password that has just been changed. */
  readonly passwordHash: string;
  readonly familyHash: Buffer;
  readonly currentHash: Buffer;
  readonly device: Device;
  readonly lifeSeconds: number;
}

/** Its id; undefined when the account or its password are no longer what they were. */
export async function insertSignIn(db: Queryable, signIn: NewSignIn): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>(
    {
      name: 'auth_insert_sign_in',
      // The lock orders it with what raises the generation: it begins before, and is ended, or after.
      text: `insert into sign_ins (account_id, generation, family_hash, current_hash, user_agent, address, expires_at)
        select id, sign_in_generation, $3, $4, $5, $6, now() + make_interval(secs => $7)
        from accounts where id = $1 and password_hash = $2 for share
        returning id`,
    },
    [
      signIn.accountId,
      signIn.passwordHash,
      signIn.familyHash,
      signIn.currentHash,
      signIn.device.userAgent,
      signIn.device.address,
      signIn.lifeSeconds,
    ],
  );
  return row?.id;
}

export interface Rotation {
  readonly familyHash: Buffer;
  /** Of the token that was shown; only the newest is rotated. */
  readonly shownHash: Buffer;
  readonly successorHash: Buffer;
  readonly salt: Buffer;
  readonly device: Device;
  readonly lifeSeconds: number;
  readonly verificationRequired: boolean;
}

/** Puts the successor in the place of the newest token; undefined, and nothing changed, when the shown one is not the newest. */
export async function rotate(db: Queryable, rotation: Rotation): Promise<SignInOwner | undefined> {
  const [row] = await db.query<SignInOwner>(
    {
      name: 'auth_rotate',
      text: `update sign_ins s set parent_hash = s.current_hash, current_hash = $3, successor_salt = $4, rotated_at = now(),
          last_used_at = now(), user_agent = $5, address = $6, expires_at = now() + make_interval(secs => $7)
        from accounts a
        where s.family_hash = $1 and s.current_hash = $2 and s.ended_at is null and s.expires_at > now()
          and a.id = s.account_id and a.sign_in_generation = s.generation
          and not ($8::boolean and a.email_verified_at is null and not a.email_verification_waived)
        returning s.account_id, s.id as sign_in_id, a.email, a.role`,
    },
    [
      rotation.familyHash,
      rotation.shownHash,
      rotation.successorHash,
      rotation.salt,
      rotation.device.userAgent,
      rotation.device.address,
      rotation.lifeSeconds,
      rotation.verificationRequired,
    ],
  );
  return row;
}

export async function findFamily(
  db: Queryable,
  { familyHash, shownHash }: { readonly familyHash: Buffer; readonly shownHash: Buffer },
): Promise<FamilyRow | undefined> {
  const [row] = await db.query<FamilyRow>(
    {
      name: 'auth_find_family',
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

/** The sign-in it ended; undefined when there was none to end. */
export async function endFamily(db: Queryable, familyHash: Buffer): Promise<EndedSignIn | undefined> {
  const [row] = await db.query<EndedSignIn>(
    {
      name: 'auth_end_family',
      text: 'update sign_ins set ended_at = now() where family_hash = $1 and ended_at is null returning account_id, id',
    },
    [familyHash],
  );
  return row;
}

/** Those that have not ended, the last used first, at most 200. */
export async function listSignIns(db: Queryable, accountId: string): Promise<SignInRow[]> {
  return db.query<SignInRow>(
    {
      name: 'auth_list_sign_ins',
      text: `select s.id, s.user_agent, s.address, s.created_at, s.last_used_at, s.expires_at
        from sign_ins s join accounts a on a.id = s.account_id
        where s.account_id = $1 and s.generation = a.sign_in_generation and s.ended_at is null and s.expires_at > now()
        order by s.last_used_at desc, s.id limit ${listed}`,
    },
    [accountId],
  );
}

/** Answers whether there was one to end. */
export async function endSignIn(
  db: Queryable,
  { accountId, id }: { readonly accountId: string; readonly id: string },
): Promise<boolean> {
  const rows = await db.query(
    {
      name: 'auth_end_sign_in',
      text: `update sign_ins s set ended_at = now() from accounts a
        where s.account_id = $1 and s.id = $2 and s.ended_at is null and s.expires_at > now()
          and a.id = s.account_id and a.sign_in_generation = s.generation
        returning s.id`,
    },
    [accountId, id],
  );
  return rows.length > 0;
}

/** Ends all sign-ins of an account at once, however many, but for `exceptId`; answers whether there is such an account. */
export async function endSignIns(
  db: Queryable,
  { accountId, exceptId }: { readonly accountId: string; readonly exceptId: string | undefined },
): Promise<boolean> {
  const rows = await db.query(
    {
      name: 'auth_end_sign_ins',
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

/** Removes sign-ins that expired over a day ago: until then their tokens are told apart from ones that never were. */
export async function purgeSignIns(db: Queryable): Promise<void> {
  await db.query({ text: "delete from sign_ins where expires_at < now() - interval '1 day'" });
}

import type { Queryable } from '@agentmesh/lib/pg';

export interface NewDeviceSignIn {
  readonly deviceHash: Buffer;
  readonly userCode: string;
  readonly client: string;
  readonly scopes: readonly string[];
  readonly lifeSeconds: number;
}

/** Whether it was stored: not when `limit` of them wait, or the user code is taken. */
export async function insertDeviceSignIn(db: Queryable, signIn: NewDeviceSignIn, limit: number): Promise<boolean> {
  const { deviceHash, userCode, client, scopes, lifeSeconds } = signIn;
  const rows = await db.query(
    {
      name: 'insert-device-sign-in',
      text: `insert into device_sign_ins (device_hash, user_code, client, scopes, expires_at)
        select $1, $2, $3, $4, now() + make_interval(secs => $5)
        where $6 > (select count(*) from device_sign_ins where expires_at > now())
        on conflict do nothing returning user_code`,
    },
    [deviceHash, userCode, client, scopes, lifeSeconds, limit],
  );
  return rows.length > 0;
}

export interface DeviceSignInRow {
  readonly user_code: string;
  readonly client: string;
  readonly scopes: string[];
  readonly expires_at: Date;
}

const isOpen = '(expires_at > now()) is true and account_id is null and not is_denied';

/** Undefined when nobody waits with this code for a decision. */
export async function selectDeviceSignIn(db: Queryable, userCode: string): Promise<DeviceSignInRow | undefined> {
  const [row] = await db.query<DeviceSignInRow>(
    {
      name: 'select-device-sign-in',
      text: `select user_code, client, scopes, expires_at from device_sign_ins where user_code = $1 and ${isOpen}`,
    },
    [userCode],
  );
  return row;
}

/** Decides once: approved by an account, or denied. False when there is nothing to decide. */
export async function decideDeviceSignIn(
  db: Queryable,
  { userCode, accountId }: { readonly userCode: string; readonly accountId: string | undefined },
): Promise<boolean> {
  const rows = await db.query(
    {
      name: 'decide-device-sign-in',
      text: `update device_sign_ins set account_id = $2, is_denied = $2::uuid is null
        where user_code = $1 and ${isOpen} returning user_code`,
    },
    [userCode, accountId ?? null],
  );
  return rows.length > 0;
}

export interface PolledDeviceSignIn {
  readonly account_id: string | null;
  readonly is_denied: boolean;
  readonly client: string;
  readonly scopes: string[];
  /** The program has asked less than `interval` seconds before. */
  readonly is_early: boolean;
}

/** Notes that the program has asked. Undefined when its code is unknown or old. */
export async function pollDeviceSignIn(
  db: Queryable,
  deviceHash: Buffer,
  intervalSeconds: number,
): Promise<PolledDeviceSignIn | undefined> {
  const [row] = await db.query<PolledDeviceSignIn>(
    {
      name: 'poll-device-sign-in',
      text: `with before as (
          select device_hash, polled_at from device_sign_ins
          where device_hash = $1 and (expires_at > now()) is true for update)
        update device_sign_ins d set polled_at = now() from before b where d.device_hash = b.device_hash
        returning d.account_id, d.is_denied, d.client, d.scopes,
          (b.polled_at > now() - make_interval(secs => $2)) is true as is_early`,
    },
    [deviceHash, intervalSeconds],
  );
  return row;
}

/** False when it is gone. */
export async function deleteDeviceSignIn(db: Queryable, deviceHash: Buffer): Promise<boolean> {
  const text = 'delete from device_sign_ins where device_hash = $1 returning user_code';
  return (await db.query({ name: 'delete-device-sign-in', text }, [deviceHash])).length > 0;
}

/** Deletes those that an account has approved. Their programs find them expired. */
export async function deleteApprovedDeviceSignIns(db: Queryable, accountId: string): Promise<void> {
  const text = 'delete from device_sign_ins where account_id = $1';
  await db.query({ name: 'delete-approved-device-sign-ins', text }, [accountId]);
}

export async function purgeDeviceSignIns(db: Queryable): Promise<void> {
  await db.query({ text: 'delete from device_sign_ins where expires_at < now()' });
}

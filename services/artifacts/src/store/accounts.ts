import type { Transaction } from '@agentmesh/lib/pg';

export interface Erased {
  readonly versions: bigint;
  readonly payloads: bigint;
  readonly bytes: bigint;
}

const ARTIFACTS = { text: 'delete from artifacts where account_id = $1' };
const VERSIONS = {
  text: 'with gone as (delete from versions where account_id = $1 returning 1) select count(*) as number from gone',
};
const PAYLOADS = {
  text: `with gone as (delete from payloads where account_id = $1 returning size)
    select count(*) as number, coalesce(sum(size), 0)::bigint as bytes from gone`,
};
// Rows are locked in the order in which saves and deletes lock them: staged objects, artifacts, payloads, live objects.
const STAGED = {
  text: `update blobs set state = 'garbage', changed_at = now() where account_id = $1 and state = 'staged'`,
};
const LIVE = {
  text: `update blobs set state = 'garbage', changed_at = now() where account_id = $1 and state = 'live'`,
};

/** Deletes every row of an account; its objects are garbage from now on. Saves under way find their objects gone. */
export async function eraseRows(tx: Transaction, accountId: string): Promise<Erased> {
  await tx.query(STAGED, [accountId]);
  await tx.query(ARTIFACTS, [accountId]);
  const [versions] = await tx.query<{ number: bigint }>(VERSIONS, [accountId]);
  const [payloads] = await tx.query<{ number: bigint; bytes: bigint }>(PAYLOADS, [accountId]);
  await tx.query(LIVE, [accountId]);
  return { versions: versions?.number ?? 0n, payloads: payloads?.number ?? 0n, bytes: payloads?.bytes ?? 0n };
}

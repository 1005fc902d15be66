import type { Queryable, Statement } from '@agentmesh/lib/pg';
import type { Fragment, StoredEvent } from './events.ts';

/**
 * A CTE that stores the hashes of `nonceParameters`, from parameter `first` on. `source` is a relation of one row with account_id,
 * user_id and pk.
 */
export function insertNonces(source: string, first: number): Fragment {
  const text = `asked as (
      insert into credential_requests (account_id, user_id, nonce_sha256, session_pk)
      select m.account_id, m.user_id, n.hash, m.pk from ${source} m, unnest($${first}::text[]) as n(hash)
      on conflict do nothing
    )`;
  return { text, parameters: 1 };
}

/** Parameters for `insertNonces`; undefined when no event asks for a credential. */
export function nonceParameters(events: readonly StoredEvent[]): unknown[] | undefined {
  if (events.every(({ nonces }) => nonces === undefined)) return undefined;
  return [[...new Set(events.flatMap(({ nonces }) => nonces ?? []))]];
}

const find: Statement = {
  name: 'find-credential-request',
  text: `select 1 from credential_requests where account_id = $1 and user_id = $2 and nonce_sha256 = $3 limit 1`,
};

export interface AskedWith {
  readonly accountId: string;
  readonly userId: string;
  readonly nonceHash: string;
}

/** Whether a session of this user holds an event that asks for a credential with this nonce. */
export async function hasCredentialRequest(db: Queryable, asked: AskedWith): Promise<boolean> {
  const rows = await db.query(find, [asked.accountId, asked.userId, asked.nonceHash]);
  return rows.length > 0;
}

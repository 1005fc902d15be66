import { createQuery, type Queryable } from '@agentmesh/lib/pg';
import type { Fragment, StoredEvent } from './events/events.ts';

/**
 * SQL of a CTE that stores hashes of nonces; `pushNonces` gives the value of parameter `first`. `source` is a relation of one row with
 * account_id, user_id and pk.
 */
export function insertNonces(source: string, first: number): Fragment {
  const text = `asked as (
      insert into credential_requests (account_id, user_id, nonce_sha256, session_pk)
      select m.account_id, m.user_id, n.hash, m.pk from ${source} m, unnest($${first}::text[]) as n(hash)
      on conflict do nothing
    )`;
  return { text, parameters: 1 };
}

/** Appends the values for `insertNonces`. */
export function pushNonces(to: unknown[], events: readonly StoredEvent[]): void {
  to.push([...new Set(events.flatMap(({ nonces }) => nonces ?? []))]);
}

interface CopiedRequests {
  readonly accountId: string;
  readonly sourcePk: bigint;
  readonly pk: bigint;
}

/**
 * Gives a copy of a session the nonces of its source, also those of questions behind its last event: a nonce has no place. They are found as long as one of the two
 * is there.
 */
export const copyCredentialRequests = createQuery<CopiedRequests>({
  text: (param) => `insert into credential_requests (account_id, user_id, nonce_sha256, session_pk)
    select account_id, user_id, nonce_sha256, ${param.pk} from credential_requests
    where account_id = ${param.accountId} and session_pk = ${param.sourcePk} on conflict do nothing`,
});

export interface AskedWith {
  readonly accountId: string;
  readonly userId: string;
  readonly nonceHash: string;
}

const findCredentialRequest = createQuery<AskedWith>({
  name: 'find-credential-request',
  text: (param) => `select 1 from credential_requests
    where account_id = ${param.accountId} and user_id = ${param.userId} and nonce_sha256 = ${param.nonceHash} limit 1`,
});

/** Whether a session of this user holds an event that asks for a credential with this nonce. */
export async function hasCredentialRequest(db: Queryable, asked: AskedWith): Promise<boolean> {
  return (await findCredentialRequest(db, asked)).length > 0;
}

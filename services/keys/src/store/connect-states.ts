import { createQuery } from '@agentmesh/lib/pg';

/** Most open consent pages of an account; older ones are forgotten. */
const mostStates = 20;
const lifeMinutes = 10;

export interface ConnectStateRow {
  readonly account_id: string;
  readonly provider: string;
  readonly redirect_uri: string;
  readonly is_valid: boolean;
}

/** Stores a state for ten minutes. */
export const insertConnectState = createQuery<{
  accountId: string;
  stateHash: Buffer;
  provider: string;
  redirectUri: string;
}>({
  name: 'insert-connect-state',
  text: (param) => `with old as (
      delete from connect_states where account_id = ${param.accountId}::uuid and state_hash in (
        select state_hash from connect_states where account_id = ${param.accountId}::uuid
        order by expires_at desc offset ${mostStates - 1}
      )
    )
    insert into connect_states (account_id, state_hash, provider, redirect_uri, expires_at)
    values (${param.accountId}::uuid, ${param.stateHash}, ${param.provider}, ${param.redirectUri},
      now() + interval '${lifeMinutes} minutes')`,
});

/** Deletes a state of any account and returns it, so that it is used at most once. */
export const takeConnectState = createQuery<{ stateHash: Buffer }, ConnectStateRow>({
  name: 'take-connect-state',
  text: (param) => `delete from connect_states where state_hash = ${param.stateHash}
    returning account_id, provider, redirect_uri, expires_at > now() as is_valid`,
});

/** Deletes states that have expired. */
export const deleteExpiredStates = createQuery<object, { one: number }>({
  name: 'delete-expired-connect-states',
  text: () => `delete from connect_states where (account_id, state_hash) in (
      select account_id, state_hash from connect_states where expires_at < now() limit 1000 for update skip locked
    ) returning 1 as one`,
});

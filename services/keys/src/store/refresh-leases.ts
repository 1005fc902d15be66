import { createQuery } from '@agentmesh/lib/pg';

/** Longer than a request to a provider may take. When its holder has died, another replica refreshes after this time. */
const leaseSeconds = 13;

interface Lease {
  readonly accountId: string;
  readonly integrationId: bigint;
  /** UUID. */
  readonly lease: string;
}

/** Takes the lease of an integration whose tokens are still those of `generation`. No row: somebody else has it, or the tokens changed. */
export const takeRefreshLease = createQuery<Lease & { generation: bigint }, { one: number }>({
  name: 'take-refresh-lease',
  text: (param) => `update integrations set lease = ${param.lease},
      lease_until = clock_timestamp() + interval '${leaseSeconds} seconds'
    where account_id = ${param.accountId} and id = ${param.integrationId} and generation = ${param.generation}
      and (lease_until is null or lease_until < clock_timestamp())
    returning 1 as one`,
});

/** Stores the tokens of a refresh and gives the lease back. A refresh token of null stays as it is. No row: the lease was lost. */
export const storeRefreshed = createQuery<
  Lease & { refreshToken: string | null; accessToken: string; accessSeconds: number },
  { access_expires_at: Date }
>({
  name: 'store-refreshed-tokens',
  text: (param) => `update integrations set refresh_token = coalesce(${param.refreshToken}::text, refresh_token),
      access_token = ${param.accessToken},
      access_expires_at = clock_timestamp() + make_interval(secs => ${param.accessSeconds}),
      generation = generation + 1, lease = null, lease_until = null
    where account_id = ${param.accountId} and id = ${param.integrationId} and lease = ${param.lease}
    returning access_expires_at`,
});

/** Gives the lease back, and notes whether the user has to connect again. No row: the lease was lost, and nothing is noted. */
export const releaseRefreshLease = createQuery<Lease & { needsReconnect: boolean }, { one: number }>({
  name: 'release-refresh-lease',
  text: (param) => `update integrations set needs_reconnect = needs_reconnect or ${param.needsReconnect}::boolean,
      lease = null, lease_until = null
    where account_id = ${param.accountId} and id = ${param.integrationId} and lease = ${param.lease}
    returning 1 as one`,
});

import { createQuery, type Queryable } from '@agentmesh/lib/pg';

/** A provider as it is stored. */
export type ProviderWord = 'microsoft' | 'google';

export interface IntegrationRow {
  readonly account_id: string;
  readonly id: bigint;
  readonly provider: ProviderWord;
  readonly provider_name: string;
  readonly provider_user_id: string;
  readonly username: string;
  readonly display_name: string;
  readonly scopes: string[];
  /** Envelope. */
  readonly refresh_token: string;
  /** Envelope; null: none. */
  readonly access_token: string | null;
  readonly access_expires_at: Date | null;
  /** Seconds until the access token expires, by the database's clock; 0 for none. */
  readonly access_seconds_left: number;
  readonly needs_reconnect: boolean;
  readonly connected_at: Date;
  readonly generation: bigint;
}

interface IntegrationPlace {
  readonly accountId: string;
  readonly integrationId: bigint;
}

const columns = `account_id, id, provider, provider_name, provider_user_id, username, display_name, scopes, refresh_token,
  access_token, access_expires_at, needs_reconnect, connected_at, generation,
  coalesce(extract(epoch from access_expires_at - clock_timestamp()), 0)::double precision as access_seconds_left`;

/** Takes the id of a new integration. It is needed before the row, because the envelopes are bound to it. */
export const takeIntegrationId = createQuery<object, { id: bigint }>({
  name: 'take-integration-id',
  text: () => `select nextval('integration_ids') as id`,
});

/** The connected integrations of an account. */
export const selectIntegrations = createQuery<{ accountId: string }, IntegrationRow>({
  name: 'select-integrations',
  text: (param) => `select ${columns} from integrations
    where account_id = ${param.accountId} and ended_at is null order by id`,
});

const selectAny = createQuery<{ accountId: string }, { one: number }>({
  name: 'select-any-integration',
  text: (param) => `select 1 as one from integrations where account_id = ${param.accountId} limit 1`,
});

/** Whether tokens of a mail account are kept for an account, also of one that its owner has disconnected. */
export async function selectHasIntegrations(db: Queryable, accountId: string): Promise<boolean> {
  return (await selectAny(db, { accountId })).length > 0;
}

/** The connected integration of an account with a provider. */
export const selectConnected = createQuery<{ accountId: string; provider: ProviderWord }, IntegrationRow>({
  name: 'select-connected-integration',
  text: (param) => `select ${columns} from integrations
    where account_id = ${param.accountId} and provider = ${param.provider} and ended_at is null`,
});

/** Selects like selectConnected, and lets nobody disconnect the integration until the transaction ends. */
export const lockConnected = createQuery<{ accountId: string; provider: ProviderWord }, IntegrationRow>({
  name: 'lock-connected-integration',
  text: (param) => `select ${columns} from integrations
    where account_id = ${param.accountId} and provider = ${param.provider} and ended_at is null for update`,
});

/** Selects an integration by id, connected or not. */
export const selectIntegration = createQuery<IntegrationPlace, IntegrationRow>({
  name: 'select-integration',
  text: (param) => `select ${columns} from integrations
    where account_id = ${param.accountId} and id = ${param.integrationId}`,
});

/** Fields that a successful connection stores. The tokens are envelopes; `accessSeconds` is the life of the access token. */
export interface ConnectionFields {
  readonly providerName: string;
  readonly username: string;
  readonly displayName: string;
  readonly scopes: readonly string[];
  readonly refreshToken: string;
  readonly accessToken: string;
  readonly accessSeconds: number;
}

type NewIntegration = IntegrationPlace & ConnectionFields & { provider: ProviderWord; providerUserId: string };

/** Stores a new integration. */
export const insertIntegration = createQuery<NewIntegration, IntegrationRow>({
  name: 'insert-integration',
  text: (param) => `insert into integrations (account_id, id, provider, provider_name, provider_user_id, username,
      display_name, scopes, refresh_token, access_token, access_expires_at)
    values (${param.accountId}, ${param.integrationId}, ${param.provider}, ${param.providerName}, ${param.providerUserId},
      ${param.username}, ${param.displayName}, ${param.scopes}, ${param.refreshToken}, ${param.accessToken},
      clock_timestamp() + make_interval(secs => ${param.accessSeconds}))
    returning ${columns}`,
});

/** Replaces what a connection stores. A refresh that is under way elsewhere loses its lease, so it stores nothing. */
export const replaceConnection = createQuery<IntegrationPlace & ConnectionFields, IntegrationRow>({
  name: 'replace-connection',
  text: (param) => `update integrations set provider_name = ${param.providerName}, username = ${param.username},
      display_name = ${param.displayName}, scopes = ${param.scopes}, refresh_token = ${param.refreshToken},
      access_token = ${param.accessToken},
      access_expires_at = clock_timestamp() + make_interval(secs => ${param.accessSeconds}),
      needs_reconnect = false, connected_at = now(), generation = generation + 1, lease = null, lease_until = null
    where account_id = ${param.accountId} and id = ${param.integrationId}
    returning ${columns}`,
});

/** Disconnects the integration with a provider, and answers its id. */
export const endIntegration = createQuery<{ accountId: string; provider: ProviderWord }, { id: bigint }>({
  name: 'end-integration',
  text: (param) => `update integrations set ended_at = now()
    where account_id = ${param.accountId} and provider = ${param.provider} and ended_at is null returning id`,
});

/** Disconnected integrations of all accounts, oldest first. */
export const selectEnding = createQuery<{ limit: number }, { account_id: string; id: bigint; provider: ProviderWord }>({
  name: 'select-ending-integrations',
  text: (param) => `select account_id, id, provider from integrations
    where ended_at is not null order by ended_at limit ${param.limit}`,
});

/** Deletes an integration that is disconnected. */
export const deleteEnded = createQuery<IntegrationPlace>({
  name: 'delete-ended-integration',
  text: (param) => `delete from integrations
    where account_id = ${param.accountId} and id = ${param.integrationId} and ended_at is not null`,
});

/** Deletes integrations that were disconnected more than `hours` hours ago, and answers a row for each. */
export const deleteLongEnded = createQuery<{ hours: number }, { one: number }>({
  name: 'delete-long-ended-integrations',
  text: (param) => `delete from integrations where (account_id, id) in (
      select account_id, id from integrations
      where ended_at < now() - make_interval(hours => ${param.hours}::integer) limit 1000 for update skip locked
    ) returning 1 as one`,
});

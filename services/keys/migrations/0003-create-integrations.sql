create sequence integration_ids;

create table integrations (
  account_id uuid not null,
  id bigint not null,
  provider text not null check (provider in ('microsoft', 'google')),
  -- The word that its creator used for the provider.
  provider_name text not null,
  provider_user_id text not null,
  username text not null,
  display_name text not null,
  scopes text[] not null,
  -- Envelopes of src/encryption, bound to this row. Nothing of a token is stored in plain text.
  refresh_token text not null,
  access_token text,
  access_expires_at timestamptz,
  needs_reconnect boolean not null default false,
  connected_at timestamptz not null default now(),
  -- Set: disconnected; the tokens are kept only to end subscriptions at the provider.
  ended_at timestamptz,
  -- Grows whenever the tokens change.
  generation bigint not null default 1,
  -- The replica that refreshes now, and until when nobody else does.
  lease uuid,
  lease_until timestamptz,
  primary key (account_id, id)
);
create unique index integrations_connected on integrations (account_id, provider) where ended_at is null;
create index integrations_ended on integrations (ended_at) where ended_at is not null;

-- Consent pages that are open. Only the hash of a state is stored.
create table connect_states (
  account_id uuid not null,
  state_hash bytea not null,
  provider text not null,
  redirect_uri text not null,
  expires_at timestamptz not null,
  primary key (account_id, state_hash)
);
create unique index connect_states_hash on connect_states (state_hash);
create index connect_states_expiry on connect_states (expires_at);

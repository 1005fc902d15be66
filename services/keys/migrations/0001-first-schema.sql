-- Keys of models that an account has saved: saved_keys
-- What models were used for and may cost: usage_days, usage_runs, limits, model_calls
-- Mail accounts: integrations, connect_states
-- Tables that lib/idempotency and lib/bus use: idempotency_keys, idempotency_bytes, erased

create table saved_keys (
  account_id uuid not null,
  -- Random: nobody learns from it how many keys there are.
  id bigint not null,
  -- saved or agent: see KeyKind.
  kind text not null,
  name text not null,
  provider text not null,
  model text not null,
  model_api_base text not null,
  -- An envelope of src/encryption, bound to this row. Nothing of the secret is stored in plain text.
  secret text not null,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_used_at timestamptz,
  primary key (account_id, id)
);

-- Use of models by day. key_id 0: the key of the server's settings. Tokens as the provider counts them; cost in 10^-9 US dollars.
create table usage_days (
  account_id uuid not null,
  day date not null,
  app_name text collate "C" not null,
  user_id text collate "C" not null,
  key_id bigint not null,
  provider text collate "C" not null,
  model text collate "C" not null,
  calls bigint not null,
  input_tokens bigint not null,
  cached_tokens bigint not null,
  output_tokens bigint not null,
  cost_nanos bigint not null,
  -- Calls of models without a known price.
  unpriced_calls bigint not null,
  primary key (account_id, day, app_name, user_id, key_id, provider, model)
) with (fillfactor = 80);

-- The same for each run.
create table usage_runs (
  account_id uuid not null,
  day date not null,
  app_name text collate "C" not null,
  user_id text collate "C" not null,
  key_id bigint not null,
  provider text collate "C" not null,
  model text collate "C" not null,
  invocation_id text collate "C" not null,
  calls bigint not null,
  input_tokens bigint not null,
  cached_tokens bigint not null,
  output_tokens bigint not null,
  cost_nanos bigint not null,
  unpriced_calls bigint not null,
  primary key (account_id, invocation_id, day, key_id, provider, model)
) with (fillfactor = 80);
create index usage_runs_day on usage_runs (account_id, day);

-- Most use in a period, and what is used and reserved in the period that began on starts_on. key_id 0: of the whole account.
create table limits (
  account_id uuid not null,
  key_id bigint not null,
  -- day or month.
  period text not null,
  max_calls bigint,
  max_tokens bigint,
  max_cost_nanos bigint,
  starts_on date not null,
  calls bigint not null,
  tokens bigint not null,
  cost_nanos bigint not null,
  primary key (account_id, key_id, period)
) with (fillfactor = 50);

-- Calls that have reserved or have ended: a call that is reported twice counts once. tokens and cost_nanos are reserved.
create table model_calls (
  account_id uuid not null,
  id uuid not null,
  reserved boolean not null,
  day date not null,
  month date not null,
  tokens bigint not null,
  cost_nanos bigint not null,
  begun_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (account_id, id)
);
create index model_calls_begun_at on model_calls (begun_at);

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

-- Keys of requests that are done once in 24 hours, with their answers: see once in lib/idempotency.
create table idempotency_keys (
  account_id uuid not null,
  -- Hash of the hash that the caller sends. That one encrypts the answer.
  key_sha256 bytea not null,
  request_sha256 bytea not null,
  answer bytea,
  created_at timestamptz not null default now(),
  primary key (account_id, key_sha256)
);
create index idempotency_keys_created_at on idempotency_keys (created_at);

-- Bytes of the answers that are kept for those keys, by the hour in which they were stored.
create table idempotency_bytes (
  account_id uuid not null,
  hour timestamptz not null,
  bytes bigint not null,
  primary key (account_id, hour)
);

-- How much of a deleted account was erased, for its receipt: see answerDeletions in lib/bus.
create table erased (
  account_id uuid not null,
  kind text not null,
  number bigint not null,
  primary key (account_id, kind)
);

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

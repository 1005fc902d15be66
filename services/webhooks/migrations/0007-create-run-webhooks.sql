-- Webhooks of runs. A row is committed before its run is accepted.
create table run_webhooks (
  account_id uuid not null,
  -- SHA-256 of the names of the run's application, user, session and invocation.
  run_sha256 bytea not null,
  app_name text not null,
  user_id text not null,
  session_id text not null,
  invocation_id text not null,
  url text not null,
  -- What the secret is sealed for.
  secret_id uuid not null,
  -- Envelope of the keys service.
  secret text not null,
  -- Fingerprint of the secret that the caller gave; empty when it was made.
  secret_fingerprint text not null,
  created_at timestamptz not null,
  -- When the ledger is read next; null: the run is over.
  check_at timestamptz,
  -- The newest state of the run that was told: the number of the attempt and the status; empty: none.
  told text not null default '',
  -- When the run was seen to be over.
  ended_at timestamptz,
  primary key (account_id, run_sha256)
);
create index run_webhooks_run on run_webhooks (account_id, invocation_id);
create index run_webhooks_open on run_webhooks (account_id) where check_at is not null;
create index run_webhooks_check_at on run_webhooks (check_at) where check_at is not null;
create index run_webhooks_ended_at on run_webhooks (ended_at) where ended_at is not null;

-- Messages of webhooks, each with what became of it.
create table deliveries (
  account_id uuid not null,
  -- The header webhook-id.
  id text not null,
  run_sha256 bytea not null,
  type text not null,
  -- The body, the same in every attempt.
  payload text not null,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  -- Attempts that have begun.
  attempts integer not null default 0,
  -- Attempts before it was last sent again.
  attempts_before integer not null default 0,
  created_at timestamptz not null,
  -- No attempt begins later.
  give_up_at timestamptz not null,
  -- When the next attempt is due, while pending. An attempt that begins sets it to the time when another replica may take over.
  next_attempt_at timestamptz,
  last_attempt_at timestamptz,
  -- HTTP status of the last answer.
  response_status integer,
  error text,
  primary key (account_id, id)
);
create index deliveries_of_run on deliveries (account_id, run_sha256, created_at);
create index deliveries_due on deliveries (next_attempt_at) where next_attempt_at is not null;

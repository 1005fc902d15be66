-- Runs whose end becomes a notice. A row stays until the run has ended.
create table awaited_runs (
  account_id uuid not null,
  invocation_id text not null,
  title text not null,
  -- When the ledger is asked next.
  look_at timestamptz not null default now() + interval '3 seconds',
  primary key (account_id, invocation_id)
);
create index awaited_runs_look_at on awaited_runs (look_at);

create table notices (
  account_id uuid not null,
  id bigint generated always as identity,
  type text not null,
  title text not null,
  body text not null,
  app_name text not null,
  user_id text not null,
  session_id text not null,
  invocation_id text not null,
  created_at timestamptz not null default now(),
  read_at timestamptz,
  primary key (account_id, id)
);
-- A repeated start of a run makes no second notice.
create unique index notices_run on notices (account_id, invocation_id);
create index notices_unread on notices (account_id, id) where read_at is null;

-- The log of record. `version` grows with every change of a session, so a statement that read the session under one
-- snapshot can tell that nothing moved before it wrote. Rows of a hot session are updated in place: hence the fill factor.
create table sessions (
  account_id uuid not null,
  app_name text not null,
  user_id text not null,
  id text not null,
  pk bigint generated always as identity,
  version bigint not null default 0,
  last_seq integer not null default 0,
  -- The invocation that holds the turn.
  turn text,
  -- How many runs wait for it.
  queued integer not null default 0,
  -- Grows with every attempt; a writer with an older one is refused.
  fence bigint not null default 0,
  last_update_time double precision not null,
  primary key (account_id, app_name, user_id, id)
) with (fillfactor = 70);
create unique index sessions_pk on sessions (pk);

-- No foreign key: an event is only ever inserted by the statement that has just updated its session's row.
create table events (
  account_id uuid not null,
  session_pk bigint not null,
  seq integer not null,
  event_id text not null,
  invocation_id text not null,
  author text not null,
  ts double precision not null,
  -- A user message that answers no call: a window of recent events may begin here.
  turn_start boolean not null,
  -- json, not jsonb: the bytes of the public event survive.
  body json not null,
  primary key (session_pk, seq)
);

-- One row per scope and key, so that concurrent writes to `app:` and `user:` state merge.
-- scope: 'app', 'user:<user id>' or 'session:<session pk>'; key without its prefix.
create table state (
  account_id uuid not null,
  app_name text not null,
  scope text not null,
  key text not null,
  value json not null,
  primary key (account_id, app_name, scope, key)
);

-- The run ledger: one row per invocation; its latest attempt.
create table runs (
  account_id uuid not null,
  session_pk bigint not null,
  invocation_id text not null,
  -- Order in the session's queue.
  position bigint generated always as identity,
  -- queued, granted, running, waiting, completed, failed or cancelled. Not a check: PostgreSQL would parse it at every run.
  status text not null,
  owner text not null,
  fence bigint not null default 0,
  attempt integer not null default 0,
  -- Judged by the database's clock.
  lease_until timestamptz,
  -- The request of a run that waits for its turn.
  message json,
  state_delta json,
  custom_metadata json,
  streaming boolean not null default false,
  -- Sequence of the event whose calls the message answers.
  answered_seq integer,
  error_code text,
  error_message text,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (session_pk, invocation_id)
) with (fillfactor = 70);
create index runs_active on runs (session_pk, position) where ended_at is null;

create table outbox (
  id bigint generated always as identity primary key,
  subject text not null,
  payload bytea not null,
  created_at timestamptz not null default now()
);

-- Messages that are sent to apps at the times of a cron expression.
create table schedules (
  account_id uuid not null,
  id uuid not null,
  -- Order of the list.
  place bigint generated always as identity,
  cron text not null,
  timezone text not null,
  app_name text not null,
  user_id text not null,
  -- Null: each tick has a session of its own.
  session_id text,
  -- Content as public JSON.
  message text not null,
  -- Number of agentmesh.sessions.v1.Multitask.
  multitask integer not null,
  catch_up boolean not null,
  enabled boolean not null,
  -- The next tick, also one that is late; null while paused.
  next_at timestamptz,
  -- A replica that acts on the tick has this long. Then another one does.
  claimed_until timestamptz,
  -- The latest tick that was acted on, its run and session, and why no run was started.
  last_at timestamptz,
  last_invocation_id text,
  last_session_id text,
  last_error text,
  -- Late ticks that were made up in a row.
  made_up integer not null default 0,
  missed_ticks bigint not null default 0,
  last_missed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, id)
);
create index schedules_next_at on schedules (next_at) where next_at is not null;
create index schedules_place on schedules (account_id, place);

-- For how long apps say that their runs and events are kept. It counts where an account has no rule for the app.
create table app_retention (
  -- The account whose agent the app is; 00000000-0000-0000-0000-000000000000 for an app of AGENTS_DIR.
  account_id uuid not null,
  app_name text not null,
  -- Version of the agent: a declaration that arrives late must not replace a newer one.
  version integer not null,
  -- 2147483647: for ever. Null: the app says nothing.
  days integer,
  -- The longest that the app has said before, which counts for a day after changed_at, and when it said nothing for the last time, which counts for a day.
  former_days integer,
  changed_at timestamptz not null default now(),
  silent_until timestamptz not null default now(),
  primary key (account_id, app_name)
);

-- No turn of the session can be older than this, in Unix seconds from 0: retention looks at the session when it is. 0: not known.
alter table sessions add column aging_from double precision not null default 0;

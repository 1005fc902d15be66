-- Days for which ended runs and events of an account are kept, by app. An empty app_name: all apps without a row of their own. Null: for ever.
create table retention (
  account_id uuid not null,
  app_name text not null,
  days integer,
  primary key (account_id, app_name)
);

-- When each kind of round that replicas share began.
create table rounds (
  kind text primary key,
  began_at timestamptz not null
);

-- Most runs have ended in the same way. Where all have, PostgreSQL would think that the index by status finds no fewer rows than one without it, and
-- read all runs of an account.
alter table runs alter column status set (n_distinct = 8);

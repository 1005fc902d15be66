-- The sessions of an app that retention has to look at. The condition is true for all: it keeps other statements, which do not have it, from choosing this
-- index for want of statistics.
create index concurrently sessions_aging on sessions (account_id, app_name, aging_from, pk) where aging_from >= 0;

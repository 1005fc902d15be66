-- The user of the run: a caller who acts for one user may not read the spans of another one's run with the same id. Null: stored before the column was.
alter table traces add column user_id text;

-- Sessions of one user in the order of their creation, those of evaluations left out: what a page of the list reads.
-- Together with the id, the time also tells a session from another that had its id before.
alter table sessions add column created_at timestamptz not null default now();
update sessions set created_at = now() - ((select max(pk) from sessions) - pk) * interval '1 microsecond';
create index sessions_listed on sessions (account_id, app_name, user_id, created_at, id)
  where not starts_with(id, '___eval___session___');

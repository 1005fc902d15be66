-- Runs are found by account: one run, and lists from the newest to the oldest. Rows that an older replica writes during a deployment have no names;
-- the session gives them while it exists.
alter table runs add column app_name text;
alter table runs add column user_id text;
alter table runs add column session_id text;
-- Begin of the latest attempt.
alter table runs add column started_at timestamptz;
update runs r set app_name = s.app_name, user_id = s.user_id, session_id = s.id from sessions s where s.pk = r.session_pk;

create index runs_of_invocation on runs (account_id, invocation_id);
create index runs_by_status on runs (account_id, status, created_at, position);
create index runs_of_app on runs (account_id, app_name, created_at, position);
create index runs_of_user on runs (account_id, user_id, created_at, position);

-- Idempotency keys of accepted runs. The statement that accepts a run writes its key.
create table run_keys (
  account_id uuid not null,
  idempotency_key text not null,
  invocation_id text not null,
  -- SHA-256 of the request; the same key with another request is refused.
  request_sha256 bytea not null,
  created_at timestamptz not null default now(),
  primary key (account_id, idempotency_key)
);

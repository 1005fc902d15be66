-- Tokens for programs. A revoked one is deleted.
create table personal_tokens (
  account_id uuid not null references accounts on delete cascade,
  id uuid not null default gen_random_uuid(),
  -- SHA-256 of the token, which rests nowhere.
  token_hash bytea not null unique,
  name text not null,
  scopes text[] not null,
  -- The only end user whose data it reaches; null: all of the account.
  user_id text,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  expires_at timestamptz not null,
  primary key (account_id, id)
);
create index personal_tokens_by_age on personal_tokens (account_id, created_at desc, id);
create index personal_tokens_by_user on personal_tokens (account_id, user_id);
create index personal_tokens_by_expiry on personal_tokens (expires_at);

create trigger personal_token_revoked after delete on personal_tokens
  for each row execute function note_account_change('account_id');

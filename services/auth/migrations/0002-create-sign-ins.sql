alter table accounts
  -- Raised to end every sign-in at once: one of a former generation has ended.
  add column sign_in_generation integer not null default 0,
  -- When that last happened: access tokens that name no sign-in and were issued before have ended too.
  add column sign_ins_valid_from timestamptz;

-- One row for each check of a password that let somebody in: a family of refresh tokens, each the successor of another.
create table sign_ins (
  account_id uuid not null references accounts on delete cascade,
  id uuid not null default gen_random_uuid(),
  -- SHA-256 of the half that all tokens of the family share.
  family_hash bytea not null unique,
  -- SHA-256 of the other half of the newest token, and of the one it followed.
  current_hash bytea not null,
  parent_hash bytea,
  -- From the parent's half and this the newest half is made again; without the parent's it says nothing.
  successor_salt bytea,
  rotated_at timestamptz,
  generation integer not null,
  user_agent text not null,
  address text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  expires_at timestamptz not null,
  ended_at timestamptz,
  primary key (account_id, id)
);
create index sign_ins_by_use on sign_ins (account_id, last_used_at desc);
create index sign_ins_by_expiry on sign_ins (expires_at);

-- Accounts of which something that others remember has changed. Kept for an hour: nobody remembers longer than a minute.
create table account_changes (
  account_id uuid not null,
  -- Of the transaction. Unlike a sequence it can be read without missing what commits late: see src/store/account-changes.ts.
  xid bigint not null default pg_current_xact_id()::text::bigint,
  changed_at timestamptz not null default now()
);
create index account_changes_by_xid on account_changes (xid);
create index account_changes_by_time on account_changes (changed_at);

-- By trigger, so that no statement can forget it. Its argument is the column that holds the account's id.
create function note_account_change() returns trigger language plpgsql set search_path from current as $$
begin
  insert into account_changes (account_id) values ((to_jsonb(old) ->> tg_argv[0])::uuid);
  return null;
end $$;

create trigger account_changed after delete or update of email, role, sign_in_generation on accounts
  for each row execute function note_account_change('id');
create trigger sign_in_ended after update of ended_at on sign_ins
  for each row execute function note_account_change('account_id');

-- Accounts: accounts
-- What signs them in: sign_ins, personal_tokens, device_sign_ins; what others have to forget: account_changes, with triggers
-- What was done to them: audit
-- What they are mailed: mail_tokens, notices. Mails themselves wait as jobs, in the schema auth_jobs
-- Their deletion: erasures, erasure_parts
-- Tables that lib/bus and lib/idempotency use: outbox, idempotency_keys, idempotency_bytes

create table accounts (
  id uuid primary key default gen_random_uuid(),
  user_id bigint generated always as identity unique,
  -- Normalised by the service before it is stored or looked up, so that equality is identity.
  email text not null unique,
  -- Argon2id as a PHC string. Null: no password signs this account in.
  password_hash text,
  first_name text not null,
  last_name text not null,
  username text,
  full_name text,
  avatar_url text,
  role text not null default 'USER' check (role in ('USER', 'ADMIN')),
  -- When the owner proved to read mail at this address, or the operator vouched for it.
  email_verified_at timestamptz,
  -- Made while no proof was asked for: passes the verification gate, but proves nothing.
  email_verification_waived boolean not null default false,
  -- SHA-256 of the secret that the browser got that signed up. The first proof of the address that shows it comes from the browser that
  -- chose the password. Null after the first proof.
  sign_up_hash bytea,
  -- Raised to end every sign-in at once: one of a lower generation has ended.
  sign_in_generation integer not null default 0,
  -- When that last happened: access tokens that name no sign-in and were issued before have ended too.
  sign_ins_valid_from timestamptz,
  onboarding_completed boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

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
  -- An account has 200 of these rows at most, and the primary key finds them. With a second index that begins with the account,
  -- PostgreSQL takes one by chance while the table has no statistics: a look-up of one sign-in then read all of them.
  primary key (account_id, id)
);
create index sign_ins_by_expiry on sign_ins (expires_at);

-- Tokens for programs. A revoked one is deleted. As for sign-ins, the primary key finds those of an account.
create table personal_tokens (
  account_id uuid not null references accounts on delete cascade,
  id uuid not null default gen_random_uuid(),
  -- SHA-256 of the token, which is stored nowhere.
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
create index personal_tokens_by_expiry on personal_tokens (expires_at);

-- Programs that wait until a person signs them in elsewhere (RFC 8628). A row is deleted when the program has its token.
create table device_sign_ins (
  -- SHA-256 of the device code, which is stored nowhere.
  device_hash bytea primary key,
  -- Eight letters, which a person reads on one screen and types on another.
  user_code text not null unique,
  client text not null,
  scopes text[] not null,
  expires_at timestamptz not null,
  -- When the program has asked last.
  polled_at timestamptz,
  -- Who has approved it; null until then.
  account_id uuid references accounts on delete cascade,
  is_denied boolean not null default false
);
create index device_sign_ins_by_expiry on device_sign_ins (expires_at);
create index device_sign_ins_by_account on device_sign_ins (account_id) where account_id is not null;

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
-- One that stood when newer sign-ins took its place.
create trigger sign_in_dropped after delete on sign_ins
  for each row when (old.ended_at is null and old.expires_at > now()) execute function note_account_change('account_id');
create trigger personal_token_revoked after delete on personal_tokens
  for each row execute function note_account_change('account_id');

-- What was done to accounts. Rows are never changed and outlive the account: nothing in them is personal, and the ids say
-- nothing once the account is gone.
create table audit (
  -- Null: an address was tried that has no account.
  account_id uuid,
  -- It counts the actions of all accounts, so it is not for clients.
  id bigint generated always as identity primary key,
  -- The id for clients.
  public_id uuid not null default gen_random_uuid(),
  -- Who did it; null where nobody had signed in, or the mesh itself.
  actor_id uuid,
  action text not null,
  -- Ids and counts, never addresses or names.
  detail jsonb not null,
  at timestamptz not null default now()
);
create index audit_by_account on audit (account_id, id);
create unique index audit_by_public_id on audit (public_id);
-- The login of the service may add rows and read them, nothing else: see lib/pg/roles/prepare-login.ts.
comment on table audit is 'append-only: actions on accounts';

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'audit is append-only';
end $$;

-- Also against a superuser, who has every privilege.
create trigger audit_is_append_only before update or truncate on audit
  for each statement execute function refuse_audit_change();
-- No row goes within 30 days. Older ones go by `purge_audit` alone.
create trigger audit_outlives_its_time before delete on audit
  for each row when (
    old.at > now() - interval '30 days' or current_setting('agentmesh.purges_audit', true) is distinct from 'yes'
  ) execute function refuse_audit_change();
revoke update, truncate on audit from current_user;

-- Deletes up to `most` of the oldest rows if they are over `days` old, and over 30 days old if they concern no account. Returns how many
-- went. The owner of the table runs it, so that no login of a service needs to delete.
create function purge_audit(days integer, most integer) returns bigint
  language plpgsql security definer set search_path from current as $$
declare
  gone bigint;
begin
  perform set_config('agentmesh.purges_audit', 'yes', true);
  delete from audit where id in (
    select id from (select id, at from audit order by id limit most) oldest where at < now() - make_interval(days => days)
    union
    select id from (select id, at from audit where account_id is null order by id limit most) nameless
      where at < now() - interval '30 days'
  );
  get diagnostics gone = row_count;
  perform set_config('agentmesh.purges_audit', '', true);
  return gone;
end $$;

-- Tokens in mailed links, as SHA-256. Kept until they expire, used or not.
create table mail_tokens (
  account_id uuid not null,
  mail_id uuid primary key,
  kind text not null check (kind in ('verify', 'reset', 'answer')),
  token_hash bytea not null unique,
  -- The RunWait message that the token answers, serialized; null for other kinds.
  wait bytea,
  -- Which attempt at the mail was admitted last: an earlier one may not hand the mail over any more.
  attempt integer not null default 0,
  -- Set before the server is sent the last byte, and cleared when it has refused the mail: a mail that may have left is not sent again.
  handing_over_at timestamptz,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index mail_tokens_by_account on mail_tokens (account_id, kind, created_at);
create index mail_tokens_by_expiry on mail_tokens (expires_at);

-- Mails that tell an account something, without a token. A row is deleted after 30 days, like the file of its mail.
create table notices (
  account_id uuid not null,
  mail_id uuid not null,
  kind text not null,
  requested_at timestamptz not null default now(),
  primary key (account_id, mail_id)
);
create index notices_by_account on notices (account_id, kind, requested_at);
create index notices_by_time on notices (requested_at);

-- Deleted accounts, and what has been erased of them everywhere. The id names nobody any more.
create table erasures (
  account_id uuid primary key,
  -- SHA-256 of what the receipt is asked for by.
  receipt_hash bytea not null unique,
  requested_at timestamptz not null default now(),
  -- When the last service had confirmed.
  completed_at timestamptz,
  -- How often the services have been asked, and when they are asked again; null: enough.
  asked integer not null default 1,
  due_at timestamptz
);
create index erasures_due on erasures (due_at) where due_at is not null;

-- One row for every service that holds data of accounts.
create table erasure_parts (
  account_id uuid not null references erasures,
  service text not null,
  -- When it first confirmed.
  erased_at timestamptz,
  -- How many rows of each kind.
  counts jsonb not null default '{}',
  primary key (account_id, service)
);

-- Facts that other services must act on: see writeOutbox in lib/bus.
create table outbox (
  id bigint generated always as identity primary key,
  subject text not null,
  -- W3C trace context in which the fact became true.
  traceparent text,
  payload bytea not null,
  created_at timestamptz not null default now()
);

-- Keys of requests that are done once in 24 hours, with their answers: see once in lib/idempotency.
create table idempotency_keys (
  account_id uuid not null,
  -- Hash of the hash that the caller sends. That one encrypts the answer.
  key_sha256 bytea not null,
  request_sha256 bytea not null,
  answer bytea,
  created_at timestamptz not null default now(),
  primary key (account_id, key_sha256)
);
create index idempotency_keys_created_at on idempotency_keys (created_at);

-- Bytes of the answers that are kept for those keys, by the hour in which they were stored.
create table idempotency_bytes (
  account_id uuid not null,
  hour timestamptz not null,
  bytes bigint not null,
  primary key (account_id, hour)
);

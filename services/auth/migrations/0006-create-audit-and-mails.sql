-- What was done to accounts. Rows are only ever added, and outlive the account: so nothing in them is personal, and the ids say
-- nothing once the account is gone.
create table audit (
  -- Null: an address was tried that has no account.
  account_id uuid,
  id bigint generated always as identity primary key,
  -- Who did it; null where nobody had signed in, or the mesh itself.
  actor_id uuid,
  action text not null,
  -- Ids and counts, never addresses or names.
  detail jsonb not null,
  at timestamptz not null default now()
);
create index audit_by_account on audit (account_id, id);

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'audit is append-only';
end $$;

-- Also against a superuser, who has every privilege.
create trigger audit_is_append_only before update or delete or truncate on audit
  for each statement execute function refuse_audit_change();
revoke update, delete, truncate on audit from current_user;

-- Mail that waits to leave. A row goes when its mail has left or can never leave.
create table mails (
  -- Null until the worker has looked the address up: whoever asks for a mail must not notice whether there is an account.
  account_id uuid,
  -- Names the message for ever: its Message-ID, its file, the token in its link.
  id uuid primary key default gen_random_uuid(),
  kind text not null check (kind in ('verify', 'reset')),
  address text not null,
  -- waiting; handing_over: the server may have taken it; dead: given up, the address removed.
  status text not null default 'waiting' check (status in ('waiting', 'handing_over', 'dead')),
  -- Grows with each attempt: a worker that was too slow notices that another has taken over.
  attempts integer not null default 0,
  due_at timestamptz not null default now(),
  created_at timestamptz not null default now()
);
create index mails_due on mails (due_at) where status <> 'dead';

-- Tokens in mailed links, as SHA-256. Kept until they expire, used or not.
create table mail_tokens (
  account_id uuid not null,
  mail_id uuid primary key,
  kind text not null check (kind in ('verify', 'reset')),
  token_hash bytea not null unique,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index mail_tokens_by_account on mail_tokens (account_id, kind, created_at);
create index mail_tokens_by_expiry on mail_tokens (expires_at);

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

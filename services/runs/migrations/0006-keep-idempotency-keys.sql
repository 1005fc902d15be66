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

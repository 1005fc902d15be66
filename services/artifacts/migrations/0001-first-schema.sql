-- Artifacts and their versions: artifacts, versions
-- What they contain, here or in the blob store: payloads, blobs
-- Tables that lib/usage, lib/idempotency and lib/bus use: usage, idempotency_keys, idempotency_bytes, erased

-- One row for each artifact. session_id is empty for artifacts of a user, whose names begin with `user:`.
create table artifacts (
  account_id uuid not null,
  app_name text collate "C" not null,
  user_id text collate "C" not null,
  session_id text collate "C" not null,
  name text collate "C" not null,
  pk bigint generated always as identity,
  -- Its row lock puts the saves of an artifact in order, which is why versions have no gaps.
  next_version integer not null,
  primary key (account_id, app_name, user_id, session_id, name)
) with (fillfactor = 80);

create table versions (
  account_id uuid not null,
  artifact_pk bigint not null,
  version integer not null,
  -- data, text or none: what the payload is in the part.
  payload text not null,
  mime_type text,
  -- The Part without its payload. json: the bytes survive.
  part json not null,
  custom_metadata json not null,
  create_time double precision not null default extract(epoch from clock_timestamp()),
  -- Null without a payload.
  sha256 bytea,
  size bigint not null,
  primary key (account_id, artifact_pk, version)
);

-- Payloads by content, each account's apart. A payload lives as long as versions refer to it, here or in the blob store.
create table payloads (
  account_id uuid not null,
  sha256 bytea not null,
  size bigint not null,
  refs bigint not null,
  bytes bytea,
  blob_id uuid,
  primary key (account_id, sha256),
  check ((bytes is null) <> (blob_id is null))
);

-- Every object in the blob store, known here before it is written there and forgotten after it is removed there. An id is
-- never used twice, so removing what is garbage cannot race a save.
-- state: staged (being written), live (a payload is in it), garbage (to be removed).
create table blobs (
  account_id uuid not null,
  id uuid not null,
  state text not null,
  changed_at timestamptz not null default now(),
  primary key (account_id, id)
);
create index blobs_unsettled on blobs (state, changed_at) where state <> 'live';

-- How much each account has, by kind: see lib/usage. Added to every few seconds, not by the statements that store.
create table usage (
  account_id uuid not null,
  kind text not null,
  number bigint not null,
  primary key (account_id, kind)
);

-- Keys of saves that are done once in 24 hours, with their answers: see committedOnce in lib/idempotency.
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

-- How much of a deleted account was erased, for its receipt: see answerDeletions in lib/bus.
create table erased (
  account_id uuid not null,
  kind text not null,
  number bigint not null,
  primary key (account_id, kind)
);

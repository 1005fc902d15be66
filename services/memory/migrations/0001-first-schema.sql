-- Memories and what is in them: partitions, sources, entries
-- How entries are found: postings by words, vectors by meaning
-- Table that lib/bus uses: erased

-- One user's memory in one application. Whoever changes what hangs on it locks this row first.
create table partitions (
  account_id uuid not null,
  app_name text not null,
  user_id text not null,
  pk bigint generated always as identity,
  -- Entries are counted up from 1; a place is never given again.
  next_place integer not null default 1,
  -- Text search dictionaries whose stems stand in the postings.
  languages text[] not null default '{}',
  primary key (account_id, app_name, user_id)
);
create unique index partitions_pk on partitions (account_id, pk);

-- How much of a session has been added.
create table sources (
  account_id uuid not null,
  partition_pk bigint not null,
  session_id text not null,
  -- The session's handle in the sessions service: another one is another session of the same id.
  session_pk bigint not null,
  -- All events up to here are entries; 0 after one of them was deleted, so that the next adding reads all again.
  last_seq integer not null,
  primary key (account_id, partition_pk, session_id)
);

create table entries (
  account_id uuid not null,
  partition_pk bigint not null,
  -- Order of insertion.
  place integer not null,
  -- Made of session and event id.
  id uuid not null,
  session_id text not null,
  event_id text not null,
  invocation_id text not null,
  author text not null,
  ts double precision not null,
  -- json, not jsonb: a text may hold what jsonb refuses.
  content json not null,
  custom_metadata json,
  -- The dictionary whose stems of this entry stand in the postings.
  language text not null,
  primary key (account_id, partition_pk, place)
);
create unique index entries_id on entries (account_id, partition_pk, id);
-- It does not begin like the index by id: without statistics, PostgreSQL would take it to find one entry among all of a memory.
create index entries_of_session on entries (session_id, partition_pk, place);

-- Which entries hold a term: for each 8,192 places one set, as 16-bit little-endian offsets while that is shorter than the
-- bitmap of 1,024 bytes. C: terms are compared, never sorted for people.
create table postings (
  account_id uuid not null,
  partition_pk bigint not null,
  term text collate "C" not null,
  chunk integer not null,
  places bytea not null,
  primary key (account_id, partition_pk, term, chunk)
);

-- What entries mean, where an embedding model is set.
create table vectors (
  account_id uuid not null,
  partition_pk bigint not null,
  place integer not null,
  model text not null,
  -- One bit for each dimension, set where it is negative: it tells which vectors may be near without reading them.
  signs bit varying not null,
  -- 32-bit little-endian floats, of length 1.
  vector bytea not null,
  primary key (account_id, partition_pk, place)
);
-- A statement of its own: PostgreSQL 15 knows no storage in the table's definition.
alter table vectors alter column vector set storage external;

-- The model whose vectors are kept: entries of before are embedded anew when it changes. At most one row.
create table embedding_model (
  singleton boolean primary key default true check (singleton),
  model text not null
);

-- How many entries an account has: see lib/usage.
create table usage (
  account_id uuid not null,
  kind text not null,
  number bigint not null,
  primary key (account_id, kind)
);

-- How much of a deleted account was erased, for its receipt: see answerDeletions in lib/bus.
create table erased (
  account_id uuid not null,
  kind text not null,
  number bigint not null,
  primary key (account_id, kind)
);

-- What entries mean, where an embedding model is set.
create table vectors (
  account_id uuid not null,
  partition_pk bigint not null,
  place integer not null,
  model text not null,
  -- One bit a dimension, set where it is negative: which vectors may be near is told without reading them.
  signs bit varying not null,
  -- 32-bit little-endian floats, of length 1.
  vector bytea not null,
  primary key (partition_pk, place)
);
alter table vectors alter column vector set storage external;

-- Entries that are still to be embedded. Whoever works on one has it until then.
create table unembedded (
  account_id uuid not null,
  partition_pk bigint not null,
  place integer not null,
  due_at timestamptz not null default now(),
  primary key (partition_pk, place)
);
create index unembedded_due on unembedded (due_at);

-- The model whose vectors are kept: entries of before are embedded anew when it changes. At most one row.
create table embedding_model (
  singleton boolean primary key default true check (singleton),
  model text not null
);

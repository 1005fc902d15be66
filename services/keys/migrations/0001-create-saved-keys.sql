create sequence saved_key_ids;

create table saved_keys (
  account_id uuid not null,
  id bigint not null,
  -- saved or agent: see KeyKind.
  kind text not null,
  name text not null,
  provider text not null,
  model text not null,
  model_api_base text not null,
  -- An envelope of src/encryption, bound to this row. Nothing of the secret is stored in plain text.
  secret text not null,
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_used_at timestamptz,
  primary key (account_id, id)
);

-- How much of a deleted account was erased, for its receipt: see answerDeletions in lib/bus.
create table erased (
  account_id uuid not null,
  kind text not null,
  number bigint not null,
  primary key (account_id, kind)
);

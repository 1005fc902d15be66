create sequence agent_ids as integer;

-- One row for each account that has made agents. Every write to its agents locks this row, so writes of an account happen one by one.
create table agent_accounts (
  account_id uuid primary key,
  -- Raised by every write: replicas compare it with what they have built.
  revision bigint not null
);

create table agents (
  account_id uuid not null,
  agent_id integer not null,
  -- agent_name of the fields.
  name text collate "C" not null,
  version integer not null,
  -- Agents that the fields name as sub-agents.
  sub_agents integer[] not null,
  -- json: the fields keep the order of their keys.
  fields json not null,
  -- The agent's own model key in the keys service; null when it has none. The fields then hold `__unchanged__`.
  key_id bigint,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (account_id, agent_id)
);
create unique index agents_name on agents (account_id, name);

create table agent_versions (
  account_id uuid not null,
  agent_id integer not null,
  version integer not null,
  fields json not null,
  created_at timestamptz not null default now(),
  primary key (account_id, agent_id, version)
);

-- How much of a deleted account was erased, for its receipt: see answerDeletions in lib/bus.
create table erased (
  account_id uuid not null,
  kind text not null,
  number bigint not null,
  primary key (account_id, kind)
);

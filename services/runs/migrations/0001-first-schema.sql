-- Agents that accounts have made: agent_accounts, agents, agent_versions
-- What an account is told while it does not watch: awaited_runs, notices
-- When the agents, models and tools of runs were at work: traces
-- Tables that lib/idempotency and lib/bus use: idempotency_keys, idempotency_bytes, erased
-- Runs are not here: the ledger of runs belongs to the sessions service.

-- One row for each account that has made agents. Every write to its agents locks this row, so writes of an account happen one by one.
create table agent_accounts (
  account_id uuid primary key,
  -- Raised by every write: replicas compare it with what they have built.
  revision bigint not null,
  -- Number of the account's newest agent. Numbers are not used again: the runs of a deleted agent keep its name.
  last_agent_id integer not null default 0
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
  -- Whether the sessions service has to be told for how long the agent's runs and events are kept.
  retention_untold boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (account_id, agent_id)
);
create unique index agents_name on agents (account_id, name);
-- The agents that the job of retention looks for: few at a time.
create index agents_untold on agents (account_id, agent_id) where retention_untold;

create table agent_versions (
  account_id uuid not null,
  agent_id integer not null,
  version integer not null,
  fields json not null,
  created_at timestamptz not null default now(),
  primary key (account_id, agent_id, version)
);

-- Runs whose end becomes a notice. A row stays until the run has ended.
create table awaited_runs (
  account_id uuid not null,
  invocation_id text not null,
  title text not null,
  -- When the ledger is asked next.
  look_at timestamptz not null default now() + interval '3 seconds',
  primary key (account_id, invocation_id)
);
create index awaited_runs_look_at on awaited_runs (look_at);

create table notices (
  account_id uuid not null,
  id bigint generated always as identity,
  type text not null,
  title text not null,
  body text not null,
  app_name text not null,
  user_id text not null,
  session_id text not null,
  -- Null: the notice is not about a run. Then source_key names what it is about.
  invocation_id text,
  source_key text,
  created_at timestamptz not null default now(),
  read_at timestamptz,
  primary key (account_id, id)
);
-- A repeated start of a run, or a repeated call with one source, makes no second notice.
create unique index notices_run on notices (account_id, invocation_id);
create unique index notices_source on notices (account_id, source_key);
create index notices_unread on notices (account_id, id) where read_at is null;

-- Spans of the attempts of runs, without what was said: that is in the events. None of a run with one answer and no tool. At most 32 rows of 32 KiB for a run.
create table traces (
  account_id uuid not null,
  invocation_id text not null,
  attempt integer not null,
  -- JSON array of spans in the form of `GET /runs/{id}/trace`.
  spans json not null,
  created_at timestamptz not null default now(),
  primary key (account_id, invocation_id, attempt)
);
create index traces_created_at on traces using brin (created_at) with (autosummarize = on);

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

-- How much of a deleted account was erased, for its receipt: see answerDeletions in lib/bus.
create table erased (
  account_id uuid not null,
  kind text not null,
  number bigint not null,
  primary key (account_id, kind)
);

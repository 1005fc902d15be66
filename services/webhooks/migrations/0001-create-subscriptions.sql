-- Registrations at a provider: one Graph subscription, or the watch of a Gmail mailbox, which all subscriptions to it share.
-- Times are parameters that come from the service's clock.
create table watches (
  account_id uuid not null,
  id bigint generated always as identity,
  provider text not null check (provider in ('microsoft', 'google')),
  -- Address in lower case.
  mailbox text not null,
  -- Integration in the service keys with whose tokens it is registered.
  integration_id bigint not null,
  -- new: never registered. active: registered. error: needs its owner, who has to connect the mail account again. expired: it has
  -- expired at the provider. ending: it is to be ended at the provider; then the row is deleted.
  state text not null check (state in ('new', 'active', 'error', 'expired', 'ending')),
  -- Microsoft: id of the subscription. Ids at providers are case-sensitive.
  provider_id text,
  -- Microsoft: SHA-256 of the path part of the notification address, and of the client state that notifications carry.
  path_token_hash bytea unique,
  client_state_hash bytea,
  -- Gmail: labels of the last watch call; empty: all.
  labels text[] not null default '{}',
  -- Gmail: history id, up to which changes were read. The first watch sets it, and only reading history moves it.
  cursor numeric,
  expires_at timestamptz,
  registered_at timestamptz,
  -- Failed attempts since the last success, and why the last one failed.
  failures integer not null default 0,
  error_code text,
  last_error text,
  -- When the next attempt to renew, register or end it is due; null: none is planned.
  next_attempt_at timestamptz,
  -- A replica works on it until then.
  claimed_until timestamptz not null default '-infinity',
  claim uuid,
  -- Notifications may be missing since then, so the mailbox has to be read; null: none are missing.
  catch_up_from timestamptz,
  created_at timestamptz not null,
  primary key (account_id, id)
);
create unique index watches_mailbox on watches (account_id, mailbox) where provider = 'google' and state <> 'ending';
create index watches_address on watches (mailbox) where provider = 'google';
create index watches_provider_id on watches (provider_id) where provider_id is not null;
create index watches_next_attempt on watches (next_attempt_at) where next_attempt_at is not null;
create index watches_expires_at on watches (expires_at) where state = 'active';

create table subscriptions (
  account_id uuid not null,
  id integer generated always as identity unique,
  watch_id bigint not null,
  -- The word for the provider that the creator used.
  provider_name text not null,
  -- Gmail, which has no ids of subscriptions: one that was made here.
  local_id text,
  resource text not null,
  change_type text not null,
  agent_id integer not null,
  agent_message_template text,
  allowed_senders text[] not null default '{}',
  require_authentication boolean not null default false,
  -- creating: being registered at the provider, or abandoned before that ended.
  state text not null check (state in ('creating', 'active', 'disabled')),
  -- Mail that was received before this time runs no agent.
  active_since timestamptz not null,
  created_at timestamptz not null,
  primary key (account_id, id),
  foreign key (account_id, watch_id) references watches (account_id, id)
);
create index subscriptions_watch on subscriptions (account_id, watch_id);
create index subscriptions_creating on subscriptions (created_at) where state = 'creating';

-- How much of a deleted account was erased, for its receipt: see answerDeletions in lib/bus.
create table erased (
  account_id uuid not null,
  kind text not null,
  number bigint not null,
  primary key (account_id, kind)
);

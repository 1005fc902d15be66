-- Mail that runs agents: watches (what is registered at a provider), subscriptions (which agent it runs), mailboxes (who reads one), logs
-- Messages at the times of a cron expression: schedules
-- Servers that are told about runs: run_webhooks, deliveries
-- Tables that lib/idempotency and lib/bus use: idempotency_keys, idempotency_bytes, erased

-- Registrations at a provider: of one subscription, or of a mailbox, whose subscriptions share it (serves_mailbox).
-- Times are parameters that come from the service's clock.
create table watches (
  account_id uuid not null,
  id bigint generated always as identity,
  -- Word of a provider in src/mail/mail-providers.ts.
  provider text not null,
  -- The provider has one registration for a whole mailbox, which covers all subscriptions to it.
  serves_mailbox boolean not null,
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
  -- When the next look for mail of which no notification arrived is due.
  look_at timestamptz not null default '-infinity',
  -- How often a look was asked for. A look that began before the last request plans no later one.
  look_requests bigint not null default 0,
  -- Failed looks since the last one that came to its end.
  look_failures integer not null default 0,
  -- When the last complete look began.
  looked_at timestamptz,
  -- Microsoft: where the next look goes on.
  delta_link text,
  -- Microsoft: where the next look for changed and for deleted mail goes on: ChangePlaces in src/store/look-rows.ts.
  change_places jsonb not null default '{}',
  created_at timestamptz not null,
  primary key (account_id, id)
);
create unique index watches_mailbox on watches (account_id, provider, mailbox) where serves_mailbox and state <> 'ending';
create index watches_address on watches (provider, mailbox) where serves_mailbox;
create index watches_provider_id on watches (provider_id) where provider_id is not null;
create index watches_next_attempt on watches (next_attempt_at) where next_attempt_at is not null;
create index watches_expires_at on watches (expires_at) where state = 'active';
create index watches_look_at on watches (look_at) where state = 'active';

create table subscriptions (
  account_id uuid not null,
  id integer generated always as identity,
  watch_id bigint not null,
  -- The word for the provider that the creator used.
  provider_name text not null,
  -- Gmail, which has no ids of subscriptions: one that was made here.
  local_id text,
  resource text not null,
  change_type text not null,
  agent_id integer not null,
  -- Why the agent cannot run: its owner has deleted it. Null: it can, as far as is known.
  agent_error text,
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

-- Mailboxes that are read by one job at a time. A row is made by the first notification or look.
create table mailboxes (
  account_id uuid not null,
  provider text not null,
  -- Address in lower case.
  mailbox text not null,
  -- The job that reads it; null: none was added.
  job_id uuid,
  job_added_at timestamptz,
  -- Until when the job that reads it holds it; its process extends that. Null: no job has begun to read it.
  held_until timestamptz,
  -- Increases with each attempt of a job. A write of an earlier attempt is refused.
  fence bigint not null default 0,
  -- Increases with each request to read it.
  wanted bigint not null default 0,
  -- When a job is to be added; null: not until something happens.
  due_at timestamptz,
  -- The provider allows no calls until then.
  paused_until timestamptz not null default 'epoch',
  primary key (account_id, provider, mailbox)
);
create index mailboxes_due_at on mailboxes (due_at) where due_at is not null and job_id is null;
create index mailboxes_job_added_at on mailboxes (job_added_at) where job_id is not null;
create index mailboxes_held_until on mailboxes (held_until) where held_until is not null;

-- One row for each mail and subscription. A pending row is the durable form of a notification.
create table logs (
  account_id uuid not null,
  id integer generated always as identity,
  subscription_id integer not null,
  watch_id bigint not null,
  provider text not null,
  mailbox text not null,
  agent_id integer not null,
  -- Immutable id of the mail at the provider. Case matters.
  message_id text not null,
  change_type text not null,
  status text not null check (status in ('pending', 'in_progress', 'success', 'retrying', 'error', 'skipped')),
  -- Failed attempts of this round.
  attempts integer not null default 0,
  -- How often the owner has triggered it, from 1.
  round integer not null default 1,
  -- When the next attempt is due, in `pending` and `retrying` rows; null in others.
  next_attempt_at timestamptz,
  -- Runs that were started for it. The key of the next one is made of the id, the round and this number.
  runs integer not null default 0,
  -- Id of the newest run, and when its end is looked for again.
  invocation_id text,
  check_at timestamptz,
  email_subject text,
  email_sender text,
  -- Address in lower case, for the limit of runs for a sender.
  sender_address text,
  -- The message of the agent. Set before a run is started, so that all attempts to start it send the same bytes.
  agent_message text,
  -- The agent's message of the round before the owner triggered the log again. It stands in when the provider no longer has the mail.
  former_message text,
  agent_response text,
  error_message text,
  body_html text,
  body_text text,
  -- [{filename, content_type, size}]
  attachments jsonb not null default '[]',
  -- Until when one call downloads attachments of the mail; null or past: none does.
  attachments_claimed_until timestamptz,
  created_at timestamptz not null,
  started_at timestamptz,
  completed_at timestamptz,
  primary key (account_id, id)
);
-- It does not begin with the account: without statistics, PostgreSQL would take it to find one log among all of an account.
create unique index logs_mail on logs (subscription_id, account_id, message_id, change_type);
create index logs_due on logs (account_id, provider, mailbox, next_attempt_at) where next_attempt_at is not null;
create index logs_check_at on logs (check_at) where check_at is not null;
create index logs_run on logs (account_id, invocation_id) where invocation_id is not null;
create index logs_sender on logs (account_id, subscription_id, sender_address, started_at) where started_at is not null;
create index logs_completed_at on logs (completed_at) where completed_at is not null;

-- Messages that are sent to apps at the times of a cron expression.
create table schedules (
  account_id uuid not null,
  id uuid not null,
  -- Order of the list.
  place bigint generated always as identity,
  cron text not null,
  timezone text not null,
  app_name text not null,
  user_id text not null,
  -- Null: each tick has a session of its own.
  session_id text,
  -- Content as public JSON.
  message text not null,
  -- Number of agentmesh.sessions.v1.Multitask.
  multitask integer not null,
  catch_up boolean not null,
  enabled boolean not null,
  -- The next tick, also one that is late; null while paused.
  next_at timestamptz,
  -- A replica that acts on the tick has this long. Then another one does.
  claimed_until timestamptz,
  -- The latest tick that was acted on, its run and session, and why no run was started.
  last_at timestamptz,
  last_invocation_id text,
  last_session_id text,
  last_error text,
  -- Ticks in a row whose runs were refused. A schedule pauses when they are too many.
  refused integer not null default 0,
  -- Late ticks that were made up in a row.
  made_up integer not null default 0,
  missed_ticks bigint not null default 0,
  last_missed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, id)
);
create index schedules_next_at on schedules (next_at) where next_at is not null;
create index schedules_place on schedules (account_id, place);

-- When an account had its turn to start runs of schedules, and how many ticks of the latest hour it has had.
create table schedule_turns (
  account_id uuid primary key,
  turn_at timestamptz not null,
  hour timestamptz not null,
  ticks integer not null
);

-- Webhooks of runs. A row is committed before its run is accepted.
create table run_webhooks (
  account_id uuid not null,
  -- SHA-256 of the names of the run's application, user, session and invocation.
  run_sha256 bytea not null,
  app_name text not null,
  user_id text not null,
  session_id text not null,
  invocation_id text not null,
  url text not null,
  -- What the secret is sealed for.
  secret_id uuid not null,
  -- Envelope of the keys service.
  secret text not null,
  -- Fingerprint of the secret that the caller gave; empty when it was made.
  secret_fingerprint text not null,
  created_at timestamptz not null,
  -- When the ledger is read next; null: the run is over.
  check_at timestamptz,
  -- The newest state of the run that was told: the number of the attempt and the status; empty: none.
  told text not null default '',
  -- When the run was seen to be over.
  ended_at timestamptz,
  primary key (account_id, run_sha256)
);
create index run_webhooks_run on run_webhooks (account_id, invocation_id);
create index run_webhooks_open on run_webhooks (account_id) where check_at is not null;
create index run_webhooks_check_at on run_webhooks (check_at) where check_at is not null;
create index run_webhooks_ended_at on run_webhooks (ended_at) where ended_at is not null;
-- The newest webhooks of ended runs of an account, which it keeps.
create index run_webhooks_ended_of_account on run_webhooks (account_id, ended_at) where ended_at is not null;

-- Messages of webhooks, each with what became of it.
create table deliveries (
  account_id uuid not null,
  -- The header webhook-id.
  id text not null,
  run_sha256 bytea not null,
  type text not null,
  -- The body, the same in every attempt.
  payload text not null,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  -- Attempts that have begun.
  attempts integer not null default 0,
  -- Attempts before it was last sent again.
  attempts_before integer not null default 0,
  created_at timestamptz not null,
  -- No attempt begins later.
  give_up_at timestamptz not null,
  -- When the next attempt is due, while pending. An attempt that begins sets it to the time when another replica may take over.
  next_attempt_at timestamptz,
  last_attempt_at timestamptz,
  -- HTTP status of the last answer.
  response_status integer,
  error text,
  primary key (account_id, id)
);
create index deliveries_of_run on deliveries (account_id, run_sha256, created_at);
create index deliveries_due on deliveries (next_attempt_at, account_id) where next_attempt_at is not null;
create index deliveries_due_of_account on deliveries (account_id, next_attempt_at) where next_attempt_at is not null;

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

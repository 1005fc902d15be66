-- Looks for mail of which no notification arrived.
alter table watches
  -- When the next look is due.
  add column look_at timestamptz not null default '-infinity',
  -- How often a look was asked for. A look that began before the last request plans no later one.
  add column look_requests bigint not null default 0,
  -- Failed looks since the last one that came to its end.
  add column look_failures integer not null default 0,
  -- When the last complete look began.
  add column looked_at timestamptz,
  -- Microsoft: where the next look goes on.
  add column delta_link text;
create index watches_look_at on watches (look_at) where state = 'active';

-- Mailboxes that are read by one job at a time. A row is made by the first notification or look.
create table mailboxes (
  account_id uuid not null,
  provider text not null,
  -- Address in lower case.
  mailbox text not null,
  -- The job that reads it; null: none was added.
  job_id uuid,
  job_added_at timestamptz,
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

-- One row for each mail and subscription. A pending row is the durable form of a notification.
create table logs (
  account_id uuid not null,
  id integer generated always as identity unique,
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
  agent_response text,
  error_message text,
  body_html text,
  body_text text,
  -- [{filename, content_type, size}]
  attachments jsonb not null default '[]',
  created_at timestamptz not null,
  started_at timestamptz,
  completed_at timestamptz,
  primary key (account_id, id)
);
create unique index logs_mail on logs (account_id, subscription_id, message_id, change_type);
create index logs_due on logs (account_id, provider, mailbox, next_attempt_at) where next_attempt_at is not null;
create index logs_check_at on logs (check_at) where check_at is not null;
create index logs_run on logs (account_id, invocation_id) where invocation_id is not null;
create index logs_sender on logs (account_id, subscription_id, sender_address, started_at) where started_at is not null;
create index logs_completed_at on logs (completed_at) where completed_at is not null;

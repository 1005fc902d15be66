-- The log of record: sessions, events, state
-- The ledger of runs: runs, executors, run_waits, run_keys
-- What finds events: credential_requests
-- For how long all of it is kept: retention, app_retention, rounds
-- Tables that lib/usage, lib/idempotency and lib/bus use: usage, idempotency_keys, idempotency_bytes, erased, outbox

-- The value, or an error whose message is `reason`: so a statement that would exceed a limit stores nothing.
create function at_most(value bigint, most bigint, reason text) returns bigint language plpgsql volatile as $$
begin
  if value > most then raise exception using errcode = 'AM413', message = reason; end if;
  return value;
end $$;

-- Sums of two objects of numbers, field by field. Either may be null. Fields that are no numbers count nothing, so that a run ends whatever is stored
-- as its use.
create function add_usage(sum json, more json) returns json language sql immutable as $$
  select case when sum is null then more when more is null then sum else (
    select json_object_agg(key, total) from (
      select key, sum(case json_typeof(value) when 'number' then (value::text)::numeric end) as total from (
        select * from json_each(case json_typeof(add_usage.sum) when 'object' then add_usage.sum end)
        union all
        select * from json_each(case json_typeof(add_usage.more) when 'object' then add_usage.more end)
      ) fields group by key
    ) totals where total is not null
  ) end
$$;

-- `version` grows with every change of a session, so a statement that read the session under one snapshot can tell that nothing moved before it wrote.
-- Rows of a hot session are updated in place: hence the fill factor.
create table sessions (
  account_id uuid not null,
  app_name text not null,
  user_id text not null,
  id text not null,
  -- Number of the session. It is never used for another one of the account.
  pk bigint generated always as identity,
  version bigint not null default 0,
  last_seq integer not null default 0,
  -- How many runs wait for the turn.
  queued integer not null default 0,
  -- The invocation that holds the turn.
  turn text,
  -- Grows with every attempt; a writer with an older one is refused.
  fence bigint not null default 0,
  last_update_time double precision not null,
  -- Together with the id, the time tells a session from another that had its id before.
  created_at timestamptz not null default now(),
  -- Bytes of the JSON of its events.
  bytes bigint not null default 0,
  -- No turn can be older than this, in Unix seconds from 0: retention looks at the session when it is. 0: not known.
  aging_from double precision not null default 0,
  -- Until then one executor may summarize the session. Null: nobody does. The summaries stand in `view`.
  compacting_until timestamptz,
  -- What agents do not see of the events: {"rewinds": [{"first": 3, "last": 9}], "compactions": [{"seq": 9, "first": 1, "last": 7}]}. Null: they see all.
  view json,
  -- The session's own state before the first event that is still stored. Null: none.
  initial_state json,
  -- The versions that the session's own artifacts had before that event: {"a.txt": 3}. Null: none.
  initial_artifacts json,
  primary key (account_id, app_name, user_id, id)
) with (fillfactor = 70);
-- The condition is true for all: it keeps statements that do not have it from choosing this index, for want of statistics, to find a session by its names
-- among all of an account.
create unique index sessions_pk on sessions (account_id, pk) where pk > 0;
-- Sessions of one user in the order of their creation, those of evaluations left out: what a page of the list reads.
create index sessions_listed on sessions (account_id, app_name, user_id, created_at, id)
  where not starts_with(id, '___eval___session___');
-- The sessions of an app that retention has to look at. The condition is there for the same reason.
create index sessions_aging on sessions (account_id, app_name, aging_from, pk) where aging_from >= 0;

-- No foreign key: an event is only ever inserted by the statement that has just updated its session's row.
create table events (
  account_id uuid not null,
  session_pk bigint not null,
  seq integer not null,
  event_id text not null,
  invocation_id text not null,
  author text not null,
  ts double precision not null,
  -- A user message that answers no call: a window of recent events may begin here.
  turn_start boolean not null,
  -- json, not jsonb: the bytes of the public event survive.
  body json not null,
  primary key (account_id, session_pk, seq)
);

-- One row per scope and key, so that concurrent writes to `app:` and `user:` state merge.
-- scope: 'app', 'user:<user id>' or 'session:<session pk>'; key without its prefix.
create table state (
  account_id uuid not null,
  app_name text not null,
  scope text not null,
  key text not null,
  value json not null,
  -- Of key and value together.
  bytes integer not null,
  primary key (account_id, app_name, scope, key)
);

-- The run ledger: one row per invocation; its latest attempt. Rows outlive their sessions.
create table runs (
  account_id uuid not null,
  session_pk bigint not null,
  -- Order in the session's queue. A run that interrupts another one comes before all others of its session: its position is lower than theirs.
  position bigint generated by default as identity,
  invocation_id text not null,
  -- The names of the session.
  app_name text not null,
  user_id text not null,
  session_id text not null,
  -- queued, granted, running, cancelling, waiting, completed, failed, cancelled or interrupted. Not a check: PostgreSQL would parse it at every run.
  status text not null,
  owner text not null,
  fence bigint not null default 0,
  -- From then on any executor may start the run if it is granted, and go on with it or end it if it is not. Null: as long as the lease of its owner lasts,
  -- only the owner. So nothing is written to the row of a run while it runs. Judged by the database's clock.
  due_at timestamptz,
  created_at timestamptz not null default now(),
  -- Begin of the latest attempt.
  started_at timestamptz,
  ended_at timestamptz,
  -- When a run that waits gets the default answer. Null: never.
  answer_by timestamptz,
  attempt integer not null default 0,
  -- How many executors have gone on with the run after others had died; null: none.
  takeovers integer,
  -- Where its events are, among those of others. Null before its first attempt; end_seq also while it is not over.
  first_seq integer,
  end_seq integer,
  -- Sequence of the event whose calls the message answers.
  answered_seq integer,
  streaming boolean not null default false,
  -- The caller of the run may act for its end user only: the run may not change `app:` state.
  bound boolean not null default false,
  -- Another service acts on the end of the run: it is told through the outbox.
  awaited boolean not null default false,
  error_code text,
  error_message text,
  -- What the run has used and what it waits for.
  model text,
  usage json,
  waiting_for json,
  -- The agent that answered: {"version": "7"}.
  agent json,
  -- The request of a run that waits for its turn.
  message json,
  state_delta json,
  custom_metadata json,
  -- Messages that were added to the run while it waited for an answer: a JSON array of Contents. Null: none.
  added_messages json,
  -- In this order it also finds the runs with an id: few sessions have runs with the same one.
  primary key (account_id, invocation_id, session_pk)
) with (fillfactor = 70);
-- Most runs have ended in the same way. Where all have, PostgreSQL would think that the index by status finds no fewer rows than one without it, and
-- read all runs of an account.
alter table runs alter column status set (n_distinct = 8);
-- A run is in the first index until it ends, and then in the other ones. Its end changes its row anyway so that all its entries are written anew: if the
-- lists had it from its begin on, each would have two entries.
create index runs_active on runs (account_id, session_pk, position) where ended_at is null;
create index runs_of_session on runs (account_id, session_pk, created_at, position) where ended_at is not null;
-- The second condition is true for all, as that of sessions_pk.
create index runs_by_status on runs (account_id, status, created_at, position) where ended_at is not null and attempt >= 0;
create index runs_of_app on runs (account_id, app_name, created_at, position) where ended_at is not null and attempt >= 0;
create index runs_of_user on runs (account_id, user_id, created_at, position) where ended_at is not null and attempt >= 0;
-- Runs that wait for an answer, by the end of their attempt. The second condition keeps it from statements that look for one such run.
create index runs_waiting on runs (ended_at) where status = 'waiting' and attempt >= 0;
-- Runs that wait for an answer until a time.
create index runs_answer_by on runs (answer_by) where answer_by is not null;
create index runs_due on runs (due_at) where due_at is not null;

-- Processes that execute runs: `runs.owner` names them. Each extends its own lease every few seconds. Rows are updated in place.
create table executors (
  owner text primary key,
  -- End of the lease, judged by the database's clock.
  alive_until timestamptz not null,
  -- The account that is charged with the death of the process, because it held most of its memory; null: each of its runs is.
  heaviest_account_id uuid
) with (fillfactor = 50);

-- What running runs have been waiting for, as their executors tell with each renewal. A hint: it says nothing when it is old, and a crash of the server empties
-- the table.
create unlogged table run_waits (
  account_id uuid not null,
  invocation_id text not null,
  session_pk bigint not null,
  -- model, keys, artifact or lease
  waiting_on text not null,
  since double precision not null,
  told_at timestamptz not null default now(),
  -- A run may have had several waits: operators ask what was slow in the last hour.
  primary key (account_id, invocation_id, session_pk, since)
);

-- Idempotency keys of accepted runs. The statement that accepts a run writes its key.
create table run_keys (
  account_id uuid not null,
  idempotency_key text not null,
  invocation_id text not null,
  -- SHA-256 of the request; the same key with another request is refused.
  request_sha256 bytea not null,
  created_at timestamptz not null default now(),
  -- Keys of clients are forgotten after some hours, and may start another run then. Null: the key is kept as long as its run.
  expires_at timestamptz,
  primary key (account_id, idempotency_key)
);
-- The keys of runs that are deleted.
create index run_keys_of_invocation on run_keys (account_id, invocation_id);
create index run_keys_expires_at on run_keys (expires_at) where expires_at is not null;

-- For each event in which an agent asks for a credential: the nonces of that request, found by one look-up. A row goes with its session.
create table credential_requests (
  account_id uuid not null,
  user_id text not null,
  -- In lower-case hex.
  nonce_sha256 text not null,
  session_pk bigint not null,
  primary key (account_id, user_id, nonce_sha256, session_pk)
);
create index credential_requests_of_session on credential_requests (account_id, session_pk);

-- Days for which ended runs and events of an account are kept, by app. An empty app_name: all apps without a row of their own. Null: for ever.
create table retention (
  account_id uuid not null,
  app_name text not null,
  days integer,
  primary key (account_id, app_name)
);

-- For how long apps say that their runs and events are kept. It counts where an account has no rule for the app.
create table app_retention (
  -- The account whose agent the app is; 00000000-0000-0000-0000-000000000000 for an app of AGENTS_DIR.
  account_id uuid not null,
  app_name text not null,
  -- Version of the agent: a declaration that arrives late must not replace a newer one.
  version integer not null,
  -- 2147483647: for ever. Null: the app says nothing.
  days integer,
  -- The longest that the app has said before, which counts for a day after changed_at, and when it said nothing for the last time, which counts for a day.
  former_days integer,
  changed_at timestamptz not null default now(),
  silent_until timestamptz not null default now(),
  primary key (account_id, app_name)
);

-- When each kind of round that replicas share began, and what it found if the others use that.
create table rounds (
  kind text primary key,
  began_at timestamptz not null,
  answer json
);

-- How much each account has, by kind: see lib/usage. Added to every few seconds, not by the statements that store.
create table usage (
  account_id uuid not null,
  kind text not null,
  number bigint not null,
  primary key (account_id, kind)
);

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

-- Facts that other services must act on: see writeOutbox in lib/bus.
create table outbox (
  id bigint generated always as identity primary key,
  subject text not null,
  -- W3C trace context in which the fact became true.
  traceparent text,
  payload bytea not null,
  created_at timestamptz not null default now()
);

-- Lines of runs: what code of their apps has printed, and what the mesh warns of. None of a run without such lines. At most 1,000 lines and 256 KiB for a run.
create table run_logs (
  account_id uuid not null,
  invocation_id text not null,
  -- Its session: runs of several sessions may have one id.
  app_name text not null,
  user_id text not null,
  session_id text not null,
  attempt integer not null,
  -- Place of its first line among those of the attempt. A row without lines, behind all others, counts what was left out.
  place integer not null,
  -- JSON array of lines in the form of `GET /runs/{id}/log`.
  lines json not null,
  line_count integer not null,
  bytes integer not null,
  left_out bigint not null default 0,
  created_at timestamptz not null default now(),
  primary key (account_id, invocation_id, app_name, user_id, session_id, attempt, place)
);
create index run_logs_created_at on run_logs using brin (created_at) with (autosummarize = on);

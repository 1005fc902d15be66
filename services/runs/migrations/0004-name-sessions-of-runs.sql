-- Ids of runs are unique in a session only. Empty names: written by a process of the former version, which means the newest run with the id.
alter table awaited_runs add column app_name text not null default '';
alter table awaited_runs add column user_id text not null default '';
alter table awaited_runs add column session_id text not null default '';

-- SHA-256 of the names of the session. Empty: written by a process of the former version.
alter table traces add column session_sha256 bytea not null default '';

-- Id of the run, when a run of another session has a notice with the same id: then invocation_id is null, because processes of the former version know notices_run.
-- Its source_key is made of all names of the run.
alter table notices add column namesake_id text;

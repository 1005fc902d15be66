create unique index concurrently awaited_runs_of_session on awaited_runs (account_id, invocation_id, app_name, user_id, session_id);
create unique index concurrently traces_of_session on traces (account_id, invocation_id, attempt, session_sha256);

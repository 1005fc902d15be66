-- The versions that the session's own artifacts had before the first event that is still stored: {"a.txt": 3}. Null: none. `initial_state` is the state
-- before that event: retention adds to both what it deletes.
alter table sessions add column initial_artifacts json;

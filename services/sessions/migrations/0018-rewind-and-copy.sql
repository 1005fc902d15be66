-- What agents do not see of the events: {"rewinds": [{"first": 3, "last": 9}]}. Null: they see all.
alter table sessions add column view json;
-- The session's own state when it was created. Null: none, and in sessions that were created before this migration.
alter table sessions add column initial_state json;

-- App and user of the tick at last_named_at, which the schedule may have changed since. A former version writes last_at only: they are known where both are equal.
alter table schedules add column last_app_name text, add column last_user_id text, add column last_named_at timestamptz;

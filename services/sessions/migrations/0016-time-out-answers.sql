-- When a run that waits gets the default answer. Null: never.
alter table runs add column answer_by timestamptz;

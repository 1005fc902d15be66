-- A notice that is not about a run has no invocation id. `source_key` names what it is about: a repeated call makes no second notice.
alter table notices alter column invocation_id drop not null, add column source_key text;
create unique index notices_source on notices (account_id, source_key);
